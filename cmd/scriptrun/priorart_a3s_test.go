package main

func a3sLoads() []behaviour {
	return []behaviour{
		{"1a-1", "A path that is no directory is an error that names it.", asThere, "", by{"scripttools.TestA3SLoader/1a-1 a path that is not a directory"}},
		{"1a-2", "Without a folder of tools there are none, and no error.", better, "It is told, and callers know it from other errors: a folder's name that is misspelt is not an empty catalog.",
			by{"scripttools.TestA3SLoader/1a-2 no tools folder is told, and the caller decides"}},
		{"1a-3", "Only files right in the folder are read, by their exact extension, in the order of their paths.", asThere, "Besides `.md` there are `.js`, `.mjs`, `.ts` and `.mts`.",
			by{"scripttools.TestA3SLoader/1a-3 direct children only, in path order, extension exact"}},
		{"1a-4", "What cannot be read fails the load, with its place and the system's reason.", asThere, "", by{"scripttools.TestA3SLoader/1a-4 an unreadable entry fails the load, with its place and cause"}},
		{"1a-5", "A file that is a link out of the folder is skipped and never becomes a tool.", better, "It is an error that names the link, not silence.",
			by{"scripttools.TestSymbolicLinks/1a-5 a tool file that leads outside"}},
		{"1a-6", "A dangling link is skipped; one that stays inside is followed.", better, "The dangling one is told.",
			by{"scripttools.TestSymbolicLinks/1a-6 a dangling link is told", "scripttools.TestSymbolicLinks/1a-6 a link that stays inside"}},
		{"1a-7", "An error about a link that leads out has nothing of the text outside.", asThere, "It is a tool file or its script here; there are no instructions of an agent.", by{"scripttools.TestSymbolicLinks"}},
		{"1a-8", "A file over the limit is refused, also one that grows, or says a wrong size.", asThere, "",
			by{"scripttools.TestA3SLoader/1a-8 a file over the cap", "hostapi/regular.TestSizeIsNotBelieved"}},
		{"1a-9", "What is not UTF-8 is refused.", better, "With line, column and the byte; UTF-16 is named.", by{"scripttools.TestA3SLoader/1a-9 what is not UTF-8, at its place"}},
		{"1a-10", "Blank lines before the header, lines of LF or CRLF, and a header that ends with the file are fine.", asThere, "",
			by{"scripttools.TestA3SLoader/1a-10 leading blank space, LF, CRLF, end of file"}},
		{"1a-11", "A file without a header is an error that says that `kind:` is needed.", better, "A `README.md` may stand among the tools.",
			by{"scripttools.TestA3SLoader/1a-11 no header is an error that says kind is needed, but for a README.md"}},
		{"1a-12", "Another kind is an error that lists the two that there are.", asThere, "", by{"scripttools.TestA3SLoader/1a-12 and 23 other kinds"}},
		{"1a-13", "The keys: name (the file's, if left out), path, description, allowed_tools, limits; others are passed over.", better, "The keys are the same; an unknown one is an error with the nearest name.",
			by{"scripttools.TestA3SLoader/an agent directory loads unchanged", "scripttools.TestA3SLoader/1a-13 the name is the file stem by default", "scripttools.TestA3SLoader/WA12 typos, odd names, clashes, ---x"}},
		{"1a-14", "A description in the header, trimmed, wins over the text below it.", asThere, "", by{"scripttools.TestA3SLoader/1a-14 the description wins over the body; a blank one does not"}},
		{"1a-15", "A path that does not end in .js or .mjs is refused at load.", asThere, "`.ts` and `.mts` are taken as well.", by{"scripttools.TestA3SLoader/1a-15 and 16 paths that are refused at load"}},
		{"1a-16", "An empty or absolute path, one with a drive, a share or `..`, is refused at load; backslashes count as slashes.", asThere, "", by{"scripttools.TestA3SLoader/1a-15 and 16 paths that are refused at load"}},
		{"1a-17", "A script that does not exist is noticed by the first call.", better, "It is noticed at load.", by{"scripttools.TestA3SLoader/1a-17 our answer: a script must exist at load"}},
		{"1a-18", "Without allowed_tools nothing is allowed.", asThere, "", by{"scripttools.TestA3SLoader/1a-18 omitted allowed_tools grants nothing"}},
		{"1a-19", "A limit of 0, or above its ceiling, is an error with its name, value and range; the ceilings are 600,000 ms, 1,000 calls and 16,777,216 bytes.", asThere, "",
			by{"scripttools.TestA3SLoader/1a-19 limits out of range name field, value and range"}},
		{"1a-20", "Limits that are left out are 30,000 ms, 20 calls and 65,536 bytes; 600,000 ms for those who may use `task`.", asThere, "There is no tool `task`.",
			by{"scripttools.TestA3SLoader/1a-20 unset limits take their defaults"}},
		{"1a-21", "Two files of one name are an error that names both.", asThere, "Servers have names of their own: their tools are called `mcp__SERVER__TOOL`.", by{"scripttools.TestA3SLoader/1a-21 two files of one name"}},
		{"1a-22", "One bad file fails the load of the directory.", better, "All problems of all files are told together.",
			by{"scripttools.TestA3SLoader/1a-22 one bad file fails the whole load, and all bad files are told"}},
		{"1a-23", "The header of `kind: mcp` is a server's settings.", asThere, "", by{"scripttools.TestServersInTheWordsOfA3S"}},
	}
}

func a3sPrograms() []behaviour {
	return []behaviour{
		{"1b-24", "A model sees a name, a description and one optional object of inputs; path, tools and limits are not a caller's.", better, "It sees the schema that the file has for its inputs.",
			by{"cmd/scriptrun.TestA3SRuns/1b-24 a caller's inputs are inputs, whatever they are called", "scripttools/serve.TestListedTools"}},
		{"1b-25", "No inputs are an empty object; inputs are the second argument of run.", asThere, "", by{"cmd/scriptrun.TestA3SRuns/1b-25 no inputs are an empty object"}},
		{"1b-26", "With one call allowed the second fails; a tool that is not listed is blocked.", asThere, "",
			by{"cmd/scriptrun.TestA3SRuns/1b-26 a pinned number of calls", "cmd/scriptrun.TestA3SRuns/1b-26 a registered tool that is not listed"}},
		{"1b-27", "A host that is gone makes a call fail, and no crash.", asThere, "", by{"cmd/scriptrun.TestA3SClosedHost"}},
		{"1b-28", "A call says that its type is script, and any other is refused.", absent, "There is one kind of program, so nothing to say.", nil},
		{"1b-29", "A call may name its language, which must be JavaScript.", absent, "JavaScript is all there is; a file of another language is refused by its extension.", nil},
		{"1b-30", "A program needs a source or a path; a source wins.", better, "A call has its code, or the name of a tool file, never both.", by{"scripttools/serve.TestEval"}},
		{"1b-31", "A path to no .js or .mjs, or out of the workspace, fails.", better, "When the file is loaded, before anybody calls it.",
			by{"scripttools.TestA3SLoader/1a-15 and 16 paths that are refused at load", "scripttools.TestSymbolicLinks/a script that leads outside the workspace"}},
		{"1b-32", "A source over 196,608 bytes is refused with both sizes; 140 KiB pass.", asThere, "", by{"cmd/scriptrun.TestA3SSourceSize"}},
		{"1b-33", "A source with one of seven pieces of text, such as `fetch(`, is refused.", better, "No text is banned: what is not granted is absent from the realm, by every road.",
			by{"cmd/scriptrun.TestA3SRuns/1b-33 WA1 words in comments and strings are no reason to refuse", "cmd/scriptrun.TestA3SRuns/1b-33 WA1 what is absent is absent by every road"}},
		{"1b-34", "The entry is found, and its export removed, by text.", better, "It is found by parsing, in every form of an export.",
			by{"cmd/scriptrun.TestA3SRuns/1b-34 WA2 the entry is parsed: its name in a string", "cmd/scriptrun.TestA3SRuns/1b-34 WA2 export list", "runtime/internal/realm.TestEntries"}},
		{"1b-35", "Code without a list may call every tool but those that run programs.", better, "It may call none. Tools that are scripts are not on offer, so that none can call itself.",
			by{"cmd/scriptrun.TestA3SRuns/1b-35 nothing is allowed unless it is listed", "scripttools.TestA3SLoader/1b-35 and 1c-52 what runs programs is not on offer to them"}},
		{"1b-36", "Limits that cannot be read become the defaults; those of code have no ceilings.", better, "They are an error, with their place; every run has the ceilings.",
			by{"scripttools.TestA3SLoader/WA12 typos, odd names, clashes, ---x", "runtime.TestLimitsAreNarrowedByTheCeiling"}},
		{"1b-37", "A failure inside a run is what the tool answers, never an error of the host.", asThere, "", by{"cmd/scriptrun.TestA3SRuns/1b-37 a failure inside is an outcome"}},
	}
}

func a3sScripts() []behaviour {
	return []behaviour{
		{"1c-38", "Each run has a new engine, with limits of memory and stack, which is stopped by a cancel and at its deadline.", better, "It has a process of its own, so that what does not stop is killed.",
			by{"cmd/scriptrun.TestA3SFreshWorld", "runtime.TestMemory", "cmd/scriptrun.TestA3SRuns/1c-38 recursion ends", "cmd/scriptrun.TestA3SRuns/1c-38 a loop ends"}},
		{"1c-39", "`ctx` is frozen; `fetch`, `WebSocket` and `Worker` are undefined.", asThere, "", by{"cmd/scriptrun.TestA3SRuns/1c-39 ctx is frozen; what reaches out is undefined"}},
		{"1c-40", "`ctx.tool(name, args)` resolves to name, output, text or null, exitCode, metadata or null.", asThere, "`data` and `truncated` are there too.",
			by{"cmd/scriptrun.TestA3SRuns/1c-40 the shape of a result", "cmd/scriptrun.TestA3SRuns/1c-40 args are an object by default; text may be null"}},
		{"1c-41", "`ctx.tools.NAME(args)` is the same, for any name but `then`, under the same list.", asThere, "", by{"cmd/scriptrun.TestA3SRuns/1c-41 tools by property obey the list"}},
		{"1c-42", "Helpers: readFile, search, grep, bm25, glob, ls and bash give text; read, git, webSearch and verify a result; grep takes `glob` and `-i`.", better,
			"They are all there with those arguments. But for verify, which is about the exit code, they reject when their tool failed, and those that give text when it is not whole. A host that wants webSearch offers a tool `web_search`.",
			by{"cmd/scriptrun.TestA3SRuns/1c-42 helpers give text", "cmd/scriptrun.TestA3SRuns/1c-42 their options are those of search", "cmd/scriptrun.TestA3SRuns/1c-42 search and bm25 are modes of search", "cmd/scriptrun.TestA3SRuns/1c-42 git, verify and webSearch give results",
				"hostapi/shell.TestGitTakesACommandAlone", "runtime.TestNobodyIsHandedAPartForTheWhole"}},
		{"1c-43", "readFile passes offset and limit on and gives plain lines, also those that look like an anchor or a footer; read keeps the numbers.", asThere, "",
			by{"cmd/scriptrun.TestA3SRuns/1c-43 readFile is plain, with look-alikes kept", "cmd/scriptrun.TestA3SRuns/1c-43 read keeps its line numbers"}},
		{"1c-44", "A tool that is not listed rejects, nothing runs, and it is not counted; uncaught it ends the run.", asThere, "", by{"cmd/scriptrun.TestA3SRuns/1c-44 a denied call rejects, runs nothing and is not counted"}},
		{"1c-45", "`task` with more than one task is refused.", absent, "There is no tool that starts agents; a host may offer one, with its own checks.", nil},
		{"1c-46", "A list that has a mode of search allows search in that mode.", asThere, "", by{"cmd/scriptrun.TestA3SRuns/1c-46 a mode grants search"}},
		{"1c-47", "A call counts once the list allows it, though it may fail; one too many rejects, and the script may go on.", asThere, "", by{"cmd/scriptrun.TestA3SRuns/1c-47 a call counts although it fails, and the script may go on"}},
		{"1c-48", "A tool that fails, or that nobody knows, resolves with an exit code.", better, "One that nobody knows rejects, with the nearest name.",
			by{"cmd/scriptrun.TestA3SRuns/1c-48 a tool that failed resolves", "cmd/scriptrun.TestA3SRuns/1c-48 our answer: a tool that is not there rejects, with the nearest name"}},
		{"1c-49", "Output over maxOutputBytes keeps its beginning, cut between characters, without a word.", better, "Beginning and end are kept, and it says how much there was.", by{"cmd/scriptrun.TestA3SRuns/1c-49 WA7 a cut says so, keeps head and tail, and whole characters"}},
		{"1c-50", "Metadata is passed on whole, however large.", better, "It has the limit of a result; what is over it is replaced by its sizes.", by{"hostapi.TestCap"}},
		{"1c-51", "Calls of Promise.all run at once; records are in the order in which they ended.", better, "Records are in the order in which the script asked, with both times.",
			by{"cmd/scriptrun.TestA3SRuns/1c-51 Promise.all runs at once; the ledger has the script's order", "runtime.TestThousandParallelCalls"}},
		{"1c-52", "A program within a program is refused.", better, "Scripts are never offered to scripts. Tools of the host may call tools, through the same gate, 16 deep.",
			by{"scripttools.TestA3SLoader/1b-35 and 1c-52 what runs programs is not on offer to them", "hostapi.TestToolsCallToolsNotWithoutEnd"}},
		{"1c-53", "In a governed session each call within passes its permissions too.", asThere, "The operator's policy holds for every call of every run.", by{"hostapi.TestDenyBeatsAskBeatsAllow", "policy.txtar: Deny beats what the file allows"}},
	}
}

func a3sResults() []behaviour {
	return []behaviour{
		{"1d-54", "The value is JSON and back; the text is a headline, a summary, a line for each call and the value.", better, "The text is the value itself; calls are in the report, for whoever wants them.",
			by{"cmd/scriptrun.TestA3SRuns/1d-54 the value is JSON and back", "outcomes.txtar: without it the value alone"}},
		{"1d-55", "A success has metadata: the program, its calls with exit code and size, the value.", better, "Every ending has a report with all of that, and times, arguments and verdicts.", by{"runtime.TestReportJSON", "runtime.TestOutcomes"}},
		{"1d-56", "A throw is a failure with the engine's message.", better, "With the line, a code frame and the calls that were made.", by{"cmd/scriptrun.TestA3SRuns/1d-56 WA5 a throw keeps the ledger", "runtime.TestOutcomes/throw"}},
		{"1d-57", "At the deadline the run fails, its tools are cancelled, and they have 500 ms.", better, "The calls are kept; who set the deadline is named; a tool that stays is left behind and named.",
			by{"cmd/scriptrun.TestA3SRuns/1d-57 WA5 a deadline keeps the ledger and cancels what runs", "runtime.TestTimeoutNamesWhoSetIt", "runtime.TestRunEndsAtItsDeadlineWhateverAToolDoes"}},
		{"1d-58", "A caller's cancel wins, and reaches the tool that runs, which has ended before the run returns.", asThere, "", by{"cmd/scriptrun.TestA3SCancel", "runtime.TestCancel"}},
	}
}

func a3sCommands() []behaviour {
	return []behaviour{
		{"1e-59", "A command has 120,000 ms; less than 1,000 is taken for 1,000.", better, "The default is the same, and so is the name `timeout`; a time that is given counts as it stands, and one that is out of range is refused.",
			by{"hostapi/shell.TestTimesOfCommands", "hostapi/shell.TestDefectTool/4a-11 a timeout over the most; it is refused, not lowered"}},
		{"1e-60", "A governed command needs a sandbox, or it does not run; to leave it takes a reason and a yes.", better, "There is one by default; `require` refuses what cannot be confined. No call can leave it, only the operator's settings.",
			by{"hostapi/shell.TestSandboxRules", "hostapi/shell.TestCallsCannotOpenTheSandbox"}},
		{"1e-61", "Output is kept up to 102,400 bytes, beginning and end, with an exact total, also of one long line.", better, "Each stream on its own; all of it goes to a file where it is too much.",
			by{"hostapi/shell.TestFlood", "hostapi/shell.TestBufferKeepsHeadAndTail", "hostapi/shell.TestZephWeaknesses/WZ8 one long line is bounded while it is read"}},
		{"1e-62", "A command is a process group, killed as one at a timeout or when nobody waits any more.", better, "Those that left the group or the session are ended too.",
			by{"hostapi/shell.TestTimeoutEndsTheTree/setsid", "hostapi/shell.TestTimeoutEndsTheTree/ignores TERM", "hostapi/shell.TestKeelRun/WL7 a call that is dropped ends its command"}},
		{"1e-63", "The deadline holds for a command that closed its streams.", asThere, "", by{"hostapi/shell.TestTimeoutEndsTheTree/closed streams"}},
		{"1e-64", "The deadline holds for a backend that does not heed it.", asThere, "", by{"hostapi/shell.TestStuckBackendIsBounded"}},
		{"1e-65", "Metadata: exit code, -1 after a signal, whether sandboxed, the timeout, what was kept, and which files git sees changed.", better, "The signal has its name; the sandbox is in the report. For changed files ask `git status`.",
			by{"hostapi/shell.TestEndings/kill -9 $$", "hostapi/shell.TestFlood", "runtime.TestReportJSON"}},
	}
}

func a3sShort() []behaviour {
	return []behaviour{
		{"WA1", "Words are banned that harmless text has, and that are easily got around.", better, "Nothing is matched in the text; what is not granted is absent.",
			by{"cmd/scriptrun.TestA3SRuns/1b-33 WA1 words in comments and strings are no reason to refuse", "runtime/internal/realm.TestAbsent"}},
		{"WA2", "The entry is rewritten in strings and comments, and missed in other forms.", better, "It is parsed.",
			by{"cmd/scriptrun.TestA3SRuns/1b-34 WA2 export default of a name", "cmd/scriptrun.TestA3SRuns/1b-34 WA2 export const"}},
		{"WA3", "A builtin that is stuck outlives the deadline.", better, "Its process is killed.", by{"cmd/scriptrun.TestA3SRuns/WA3 a stuck builtin does not hold the deadline", "runtime.TestHostileScripts"}},
		{"WA4", "A timeout is known by its text, so that other errors are taken for one.", better, "Outcomes are typed where they happen.",
			by{"cmd/scriptrun.TestA3SRuns/WA4 text does not make an outcome", "cmd/scriptrun.TestA3SRuns/WA4 nor does a look-alike of an error"}},
		{"WA5", "Records are lost where a run fails.", better, "Every ending has them.", by{"cmd/scriptrun.TestA3SRuns/1d-56 WA5 a throw keeps the ledger", "cmd/scriptrun.TestA3SRuns/1d-57 WA5 a deadline keeps the ledger and cancels what runs"}},
		{"WA6", "The value, metadata, errors and arguments have no limit, nor has the sum of calls.", better, "All of them count, and so does the sum.",
			by{"cmd/scriptrun.TestA3SRuns/WA6 the value is within the limit", "hostapi.TestQuota", "runtime.TestArgumentsOverTheLimit", "runtime.TestReceiptIsBounded"}},
		{"WA7", "A cut is silent and loses the end.", better, "It says so and keeps both ends.", by{"cmd/scriptrun.TestA3SRuns/1c-49 WA7 a cut says so, keeps head and tail, and whole characters", "runtime.TestCapsSaySo"}},
		{"WA8", "Helpers hand an error back as if it were content.", better, "They reject, with exit code and output.", by{"cmd/scriptrun.TestA3SRuns/WA8 a helper that fails rejects"}},
		{"WA9", "Calls that nobody awaits outlive the run, unrecorded.", better, "The run waits for them within its deadline, and names them.",
			by{"cmd/scriptrun.TestA3SRuns/WA9 calls that nobody awaited are waited for", "cmd/scriptrun.TestA3SRuns/WA9 and end with the run", "runtime.TestTheSameFileDoesTheSameThingEveryTime"}},
		{"WA10", "A script that returns nothing fails.", better, "Its value is null.", by{"cmd/scriptrun.TestA3SRuns/WA10 a script that returns nothing returns null"}},
		{"WA11", "A refusal says that a tool is not allowed though it is.", better, "It says what the reason is.", by{"cmd/scriptrun.TestA3SRuns/WA11 a refusal says which limit, not that the tool is not allowed"}},
		{"WA12", "Typos in a header pass, odd names too, and clashes with a builtin.", better, "Each is an error with its place.", by{"scripttools.TestA3SLoader/WA12 typos, odd names, clashes, ---x"}},
		{"WA13", "The folder of tools may itself be a link that leads out.", better, "It is refused.", by{"scripttools.TestSymbolicLinks/WA13 the tools directory leads outside the workspace"}},
		{"WA14", "A script is read again at each call, so that it can be swapped after a yes.", better, "What was loaded is what runs, and it has a digest.", by{"scripttools.TestA3SLoader/WA14 what runs is what was loaded, and the digest says what that is"}},
		{"WA15", "No limits of the system, no check of tools' names at load, no bound on calls at once, no logs.", better, "All four are there.",
			by{"runtime.TestConfinedWorker", "scripttools.TestA3SLoader/WA15 a tool that the host does not offer is told at load", "runtime.TestThousandParallelCalls", "runtime/internal/realm.TestConsole"}},
		{"WA16", "A character across the border of two parts is broken, though nothing is cut.", better, "Parts are joined as bytes before they are text; a look at running output leaves half a character for the next.",
			by{"hostapi/shell.TestTextIsBoundedAndValid", "hostapi/shell.TestHalfACharacterIsLeftForTheNextLook"}},
		{"WA17", "A process in the background that holds the pipe holds the command up to its timeout.", better, "The command is over when its first process is.",
			by{"cmd/scriptrun.TestA3SRuns/WA17 what holds a pipe does not hold the command", "hostapi/shell.TestDefectTerminals/WK4 WA17 a child that holds the pipe does not hold the command"}},
	}
}
