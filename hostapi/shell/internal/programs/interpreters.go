package programs

// interpreters run the script that their first operand names; the words after it
// are the script's arguments.
func interpreters() []program {
	return []program{
		{names: "python pypy", says: "the arguments of a script or of a module that the rule names", grammar: python()},
		{names: "node nodejs", says: "the arguments of a script that the rule names", grammar: interpreter("-e= --eval= -p= --print= -r= --require= --import= --loader= --experimental-loader= -C= --conditions= --env-file= --title=", "-i --interactive --test --watch -c --check")},
		{names: "perl", says: "the arguments of a script that the rule names", grammar: interpreter("-e= -E= -I= -M= -m= -x? -i? -F= -0? -l? -C? -D? -d?", "-n -p -a -w -W -T -t -c -s -S -u -U -f -v")},
		{names: "ruby jruby", says: "the arguments of a script that the rule names", grammar: interpreter("-e= -I= -r= -C= -E= -F= -K= -x? -i? -0? -T?", "-n -p -a -c -l -s -S -w -W -v -y")},
		{names: "php", says: "the arguments of a script that the rule names", grammar: interpreter("-r= -f= -B= -R= -F= -E= -c= -d= -z= -S= -t=", "-a -n -l -i -m -q -s -v -w")},
		{names: "lua luajit Rscript R julia tclsh wish guile racket sbcl clisp erl elixir iex scala groovy kotlin mono osascript wscript cscript", says: "the arguments of a script that the rule names, without options before it", grammar: interpreter("", "")},
		{names: "deno java dart swift dotnet", says: "nothing: they fetch, build or run what their commands and options name", grammar: grammar{operands: everything("it can fetch, build or run what it is given")}},
		{names: "sh bash rbash dash ash zsh ksh ksh93 mksh lksh oksh pdksh yash posh fish csh tcsh elvish nu pwsh", says: "the arguments of a script that the rule names, without options before it", grammar: interpreter("", "")},
	}
}

// python gives the words after -m MODULE and -c CODE to the module or the code.
func python() grammar {
	g := interpreter("-c= -m= -W= -X= --check-hash-based-pycs=", "-B -E -I -s -S -u -v -q -O -b -d -P -i -x")
	g.hands = "-c -m"
	return g
}

func interpreter(values, flags string) grammar {
	return grammar{
		stops:    true,
		refused:  []refusal{{values, "is code, or chooses what is run"}, {flags, "changes how code is run"}},
		operands: firstOperand("is the code that is run"),
	}
}
