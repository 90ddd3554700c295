// Command types checks the types of all packages of a module, and of their tests, for
// other systems: types GOOS/GOARCH… in the module's folder. Building for each of them would compile
// the standard library and all modules too, which takes minutes a system.
package main

import (
	"fmt"
	"go/token"
	"go/types"
	"os"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	wrong := 0
	for _, target := range os.Args[1:] {
		system, processor, _ := strings.Cut(target, "/")
		all, err := packages.Load(&packages.Config{
			Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps |
				packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedTypesSizes,
			Env:   append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0"),
			Fset:  token.NewFileSet(),
			Tests: true,
		}, "./...")
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", target, err)
			os.Exit(1)
		}
		wrong += packages.PrintErrors(all)
		if len(all) == 0 || types.SizesFor("gc", processor) == nil {
			fmt.Fprintf(os.Stderr, "%s: there are no packages, or no such processor\n", target)
			os.Exit(1)
		}
		fmt.Println(target, len(all), "packages")
	}
	if wrong > 0 {
		os.Exit(1)
	}
}
