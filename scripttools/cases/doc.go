// Package cases tests tool files: a case has the inputs of a run, the results of its host
// calls as they were recorded, and the value that is expected. A case is replayed with no
// host touched.
//
//	file, err := cases.Load(cases.PathOf(spec.Path))     // tools/x.test.json
//	tools, err := hostapi.NewRegistry(cases.StandIns(tools...)...)
//	for _, c := range file.Cases {
//		fmt.Println(cases.Replay(ctx, runner, tools, spec, c))
//	}
//
// [Record] runs a case for real, and fills in what was called and what came of it.
//
// A replay is a run like any other: the tool's list, its limits, the schemas of host tools and
// the runner's policies decide as ever. Only the tools do nothing. Calls are found by their
// tool and arguments, in the order in which the script made them; those of one Promise.all may
// come in any order. The clock and the random numbers are those of the case.
//
// The one trap: rules with patterns decide on what a path leads to. [StandIns] of tools of an
// empty folder find no links there.
package cases
