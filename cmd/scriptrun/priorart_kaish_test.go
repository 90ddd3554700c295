package main

// Reasons that several rows have.
const (
	ownShell   = "Each command is a process of the system's shell, which keeps this to itself; nothing is carried from one to the next."
	noTokens   = "There are no tokens: the call waits while somebody is asked, and nothing is left that could be used again."
	noOverlay  = "There is no overlay: what is written is written. A tool file says what it may write, and a person can be asked first, with the difference."
	jsValues   = "A script has values of its language, and inputs; it has no standard input."
	oneOptions = "What a runner or a tool needs is given once, when it is made, and does not change under a run."
)

func kaishFields() []behaviour {
	return []behaviour{
		{"2a-1", "backend: all files and tools are reached through it.", asThere, "It is one gate; the file tools take any file system, and commands any backend.",
			by{"hostapi/files.TestToolsWorkOverAnotherFileSystem", "hostapi/shell/acp.TestToolOverTheProtocol"}},
		{"2a-2", "scope: variables of the shell; a command gets the exported ones.", absent, ownShell, nil},
		{"2a-3", "cwd: the directory, which one call can have otherwise.", asThere, "A call says its directory, and nothing has to be put back.",
			by{"hostapi/shell.TestZephResolution/3a-03 cwd: the call's wins", "hostapi/shell.TestZephResolution/3a-03 cwd: then the workspace"}},
		{"2a-4", "prev_cwd: the directory before.", absent, ownShell, nil},
		{"2a-5", "stdin: input that is there before the command, read once.", asThere, "", by{"hostapi/shell.TestKeelRun/5a-07 stdin is written and closed"}},
		{"2a-6", "stdin_data: a value beside the text of the input.", absent, jsValues, nil},
		{"2a-7", "pipe_stdin: input that comes while the command runs.", asThere, "Between commands of a line the pipe is the system's; from a script it is a handle's `write`.",
			by{"hostapi/shell.TestKeelRun/5a-03 pipes and redirects", "hostapi/shell.TestInputIsBytesInOrder"}},
		{"2a-8", "pipe_stdout: output that goes on; who writes to nobody ends.", asThere, "", by{"hostapi/shell.TestFlood"}},
		{"2a-9", "tool_schemas: what help prints of all tools, or of one.", asThere, "", by{"cmd/scriptrun.TestHostToolsPage", "host-tools.txtar: describe grep"}},
		{"2a-10", "tools: a look at what there is.", asThere, "", by{"runtime.TestToolsTellWhatIsGranted"}},
		{"2a-11", "job_manager: numbered jobs, which several kernels may share.", better, "What is in the background belongs to its run, is bounded, and ends with it.",
			by{"hostapi.TestHandleFromStartToRelease", "hostapi.TestBackgroundIsBounded", "hostapi.TestRunsEndEndsBackground"}},
		{"2a-12", "stderr: a channel that is read while commands run, in bytes.", asThere, "", by{"hostapi/shell.TestOutputIsWatchedAsItComes", "hostapi/shell.TestSinceCutsEachStream"}},
		{"2a-13", "pipeline_position: which command of a line this is.", absent, ownShell, nil},
		{"2a-14", "interactive: commands get the user's terminal, or else no input.", better, "They never get it: they have no input, or a terminal of their own where a call asks for one.",
			by{"hostapi/shell.TestEndings/cat", "hostapi/shell.TestCommandOnATerminal"}},
		{"2a-15", "aliases: for the first word of a command.", absent, ownShell, nil},
		{"2a-16", "ignore_config: what walks pass over, as advice or as a rule.", better, "Walks heed what git does, count what they pass over, and show it on request. What a script must not see is a matter of rules.",
			by{"hostapi/files.TestIgnoredAsByGit", "hostapi/files.TestWalksSayWhatTheySkip", "hostapi/files.TestRules"}},
		{"2a-17", "output_limit: see 2c.", better, "It is always there.", by{"scripttools.TestA3SLoader/1a-20 unset limits take their defaults", "hostapi.TestCap"}},
		{"2a-18", "allow_external_commands: off, every program is as if it were not found; newer builds tell why.", better, "Nothing is run unless `bash` is listed, and a refusal is no exit code; one for a name that nobody knows is another error.",
			by{"hostapi.TestAllowList/nothing is allowed", "hostapi.TestUnknownTool"}},
		{"2a-19", "nonce_store: tokens for what was confirmed.", absent, noTokens, nil},
		{"2a-20", "trash_backend: where deleted files go.", asThere, "For the tool `delete`; `rm` of a command deletes.", by{"hostapi/files.TestDelete"}},
		{"2a-21", "dispatcher: lets a builtin call another command.", asThere, "A tool of the host calls others through the same gate, on the same budget.", by{"hostapi.TestToolsCallTools"}},
		{"2a-22", "cancel: seen by everything that runs.", asThere, "", by{"hostapi/shell.TestCancel", "cmd/scriptrun.TestA3SCancel"}},
		{"2a-23", "output_format: how one execution prints.", absent, "A tool returns a value, and whoever prints it says how; see 2e-74.", nil},
		{"2a-24", "vfs_budget: bytes that all files in memory may take.", absent, "There are no files in memory. Results, arguments and outputs in files have limits of their own.", nil},
		{"2a-25", "watchdog: a deadline that can be moved.", asThere, "", by{"runtime.TestHeldClockStandsStill"}},
		{"2a-26", "overlay_handle: a transaction over the files.", absent, noOverlay, nil},
	}
}

func kaishMethods() []behaviour {
	return []behaviour{
		{"2b-27", "Contexts are made without limits, and with commands on.", better, "The zero value allows nothing and has every limit.",
			by{"hostapi.TestUnknownTool", "hostapi/shell.TestZephValues", "cmd/scriptrun.TestA3SRuns/1b-35 nothing is allowed unless it is listed"}},
		{"2b-28", "Schemas, tools, jobs and trash are set afterwards.", absent, oneOptions, nil},
		{"2b-29", "Input is set, and taken once.", absent, jsValues, nil},
		{"2b-30", "A path is resolved as text, without looking at the disk.", better, "Links are followed once, when a call is decided on, and what was found then is what is opened.",
			by{"hostapi/files.TestWhatWasDecidedIsWhatIsOpened", "hostapi/shell.TestZephResolution/3a-09 a relative cwd joins the workspace, links followed"}},
		{"2b-31", "The directory is changed, and the one before is known.", absent, ownShell, nil},
		{"2b-32", "Input is read as text, as bytes, or line by line.", absent, jsValues, nil},
		{"2b-33", "A copy for a command of a pipeline.", absent, ownShell, nil},
		{"2b-34", "Files that say what to ignore count upwards from where a walk is, the nearer first.", asThere, "", by{"hostapi/files.TestIgnoredAsByGit"}},
		{"2b-35", "A token is checked; a result asks for one.", absent, noTokens, nil},
		{"2b-36", "A pattern gives absolute paths, heeds what is ignored, and is an error if it is none.", asThere, "Paths are below the workspace, and relative to it.", by{"hostapi/files.TestGlob"}},
		{"2b-37", "Arguments become paths: numbers as text; lists and the like are errors, never dropped.", better, "Arguments are checked against the tool's schema before it is called; a number is an error too.",
			by{"hostapi.TestAllowList/the schema", "hostapi/shell.TestKeelRun/5a-02 a command of another type"}},
		{"2b-38", "Tools of others see a part of the context: paths, variables, a hold on the clock.", asThere, "They see their call, and through it other tools, the clock, a way to show output.",
			by{"hostapi.TestToolsCallTools", "hostapi/hosttest.TestToolsThatHoldTheClockConform", "hostapi.TestOutputIsToldAsItComes"}},
	}
}

func kaishEndings() []behaviour {
	return []behaviour{
		{"2c-39", "For agents output has a limit, with a beginning and an end as preview; for others none.", better, "Everybody has it, and half and half is kept.",
			by{"hostapi/shell.TestTextSaysHowMuchIsMissing", "hostapi/shell.TestDefectTerminals/4a-10 WD4 WD5 bounded, head and tail, exact counts, each stream on its own"}},
		{"2c-40", "Output over the limit goes to a file as a whole; the result says how much and where.", asThere, "The run itself can read it, and clients of MCP.",
			by{"hostapi/shell.TestKaishEndings/2c-40 what is cut is whole in a file", "scripttools/serve.TestSpilledOutput", "outputs.txtar: What was cut of an output can be read by its run"}},
		{"2c-41", "What was too long has exit code 3; the true code is elsewhere.", better, "The exit code is the command's; a cut has a flag.", by{"hostapi/shell.TestDefectTerminals/WK5 WK6 a spill leaves the code alone and loses nothing"}},
		{"2c-42", "Without a place for files there is the same cut, and exit code 3.", better, "The exit code is the command's.", by{"hostapi/shell.TestKaishEndings/2c-42 without a folder for files the cut is the same"}},
		{"2c-43", "If the file cannot be written, the whole result is an error.", better, "What was kept is there, says that it is cut, and why there is no file.", by{"hostapi/shell.TestKaishEndings/2c-43 files that cannot be written are told of"}},
		{"2c-44", "Bytes that are no text are kept as such; text is cut between characters.", asThere, "", by{"hostapi/shell.TestStreams", "hostapi/shell.TestTextIsBoundedAndValid"}},
		{"2c-45", "Capture keeps the end of a stream, and says in the exit code and on stderr what was lost.", better, "It keeps beginning and end, with exact totals, and changes neither.", by{"hostapi/shell.TestBufferKeepsHeadAndTail", "hostapi/shell.TestFlood"}},
		{"2c-46", "A call's timeout counts before the kernel's; none is no limit; zero is over at once.", better, "There is always one, and zero is refused before anything starts.",
			by{"hostapi/shell.TestTimesOfCommands", "hostapi/shell.TestDefectTool/4a-11 a timeout of zero"}},
		{"2c-47", "A timeout has code 124, a cancel 130; the embedder's own token is heeded and left alone.", asThere, "They are outcomes; the codes are those of the program's exit.",
			by{"cmd/scriptrun.TestDocsReference", "outcomes.txtar: exits 124 scriptrun run slow.js", "runtime.TestDeadlineOfTheCaller", "runtime.TestCancel"}},
		{"2c-48", "An ending is SIGTERM, a grace of 2 s or less, SIGKILL, for the process and its group.", better, "For everything that it started, whatever group or session that is in.",
			by{"hostapi/shell.TestTimeoutEndsTheTree/ignores TERM", "hostapi/shell.TestTimeoutEndsTheTree/setsid of a setsid", "hostapi/shell.TestOneTERM"}},
		{"2c-49", "126 is no program, 127 not found or blocked, 128 and more a signal, 148 stopped.", better, "126 and 127 are the shell's words; what did not start, or ended by a signal, has no code, and the signal its name.",
			by{"hostapi/shell.TestKaishEndings/2c-49 a file that is no program", "hostapi/shell.TestEndings/kill -TERM $$", "hostapi/shell.TestTimeoutEndsTheTree/stopped"}},
		{"2c-50", "A hold stops the clock, several may overlap, and what was left goes on afterwards; after the end it does nothing.", asThere, "A hold has no time of its own: who waits bounds it.", by{"runtime.TestHeldClockStandsStill", "runtime.TestTimeGoesOnAfterTheAnswer"}},
		{"2c-51", "While it is held a cancel counts; scripts cannot take a hold.", asThere, "", by{"runtime.TestAskingMakesNoTimeToCompute", "hostapi.TestEndOfARunEndsItsQuestion"}},
		{"2c-52", "For agents, commands die with their host.", better, "Always, with all that they started.", by{"hostapi/sandbox.TestHostDies"}},
		{"2c-53", "A command's variables are the exported ones and no others; a list is an error.", asThere, "They are a short list of inherited ones, and the call's; names that carry secrets are withheld.",
			by{"hostapi/shell.TestEnvironment", "hostapi/shell.TestKaishEndings"}},
		{"2c-54", "Much input and much output at once do not block each other.", asThere, "", by{"hostapi/shell.TestKeelRun/WL2 large input and large output at once"}},
		{"2c-55", "Output that is not UTF-8 comes as bytes.", asThere, "As base64, with a flag.", by{"hostapi/shell.TestKeelRun/5a-10 WL8 text keeps its end, bytes their value"}},
		{"2c-56", "Recursion ends at 48, with an error.", asThere, "In a script at the limit of its stack; of commands, the number of processes is bounded.",
			by{"runtime.TestOutcomes/stack", "hostapi/sandbox.TestForkBomb"}},
	}
}

func kaishConfirms() []behaviour {
	return []behaviour{
		{"2d-57", "A destructive command without a token exits with 2, a reason, the paths and how to run it again.", better, "The operator says what is asked about; a person sees what the call would do, and it goes on in place.",
			by{"hostapi.TestWhatIsShownIsWhatRuns", "hostapi/shell.TestPreviewShowsAllOfACall", "policy.txtar: Ask beats allow"}},
		{"2d-58", "A token holds for 60 s, for any number of uses.", better, "A yes is for one call, or, if a person says so, for its rules in this run.", by{"hostapi.TestEveryRuleThatAsksIsAnswered"}},
		{"2d-59", "It is for one command and its paths, or fewer.", better, "It is for the call as it was resolved; what has changed since is not made.",
			by{"hostapi.TestWhatChangedMeanwhileIsNotMade", "hostapi/files.TestWhatWasShownIsWhatIsChanged"}},
		{"2d-60", "An unknown token and an expired one are different errors.", absent, noTokens, nil},
		{"2d-61", "One token covers a batch.", better, "A yes for the run covers calls of the rules that were shown, and no others.", by{"hostapi.TestEveryRuleThatAsksIsAnswered", "hostapi.TestAYesForTheRunIsOneForRules"}},
		{"2d-62", "A token has 32 bits, in newer builds 128.", absent, noTokens, nil},
		{"2d-63", "To confirm replays exactly what was asked about; a job that waits is not lost.", better, "The call itself waits, and its plan is what runs; what is written to a job is asked about as well.",
			by{"hostapi.TestWhatIsShownIsWhatRuns", "hostapi.TestWhatIsWrittenIsAskedAbout"}},
	}
}

func kaishFiles() []behaviour {
	return []behaviour{
		{"2e-64", "Deleting moves to the trash: folders, and files up to 10 MiB; links are not followed.", better, "Whatever its size.", by{"hostapi/files.TestDelete", "hostapi/files.TestDeleteAndMoveActOnLinksThemselves"}},
		{"2e-65", "Overwriting keeps what was there, and is refused if that changed meanwhile.", absent, "A write replaces a file whole and keeps no copy. What a person was shown is not replaced if it changed (2d-59), and edits of one file do not lose each other.", nil},
		{"2e-66", "The trash is listed, restored from, emptied.", absent, "It is a folder of the workspace that keeps each path; `mv` takes a file back.", nil},
		{"2e-67", "An overlay keeps writes in memory: status, diff, commit, reset.", absent, noOverlay, nil},
		{"2e-68", "A commit checks that nothing below it has moved, and says what landed if it fails.", absent, noOverlay, nil},
		{"2e-69", "An overlay over memory alone is an error; outside of one its commands fail.", absent, noOverlay, nil},
		{"2e-70", "Commands cannot run in an overlay, as it is not on the disk.", absent, noOverlay, nil},
		{"2e-71", "Files in memory share 67,108,864 bytes; more is an error that names the setting.", absent, "There are no files in memory.", nil},
		{"2e-72", "Walks pass over .git, node_modules, target and the like by default; a rule binds `find` too.", better,
			"Folders that may hold sources, such as build, are walked unless git ignores them; what is passed over is counted. What commands may read is the sandbox's to say.", by{"hostapi/files.TestWalksSayWhatTheySkip"}},
		{"2e-73", "Jobs have a status, live output and a kill; 100 that ended are kept, and they outlive a cancel.", better, "A handle has output, input, a wait and the true exit code; it ends with its run.",
			by{"hostapi/shell.TestZephWeaknesses/WZ3 a true exit code in the background", "hostapi/shell.TestSinceCutsEachStream", "hostapi.TestRunsEndEndsBackground"}},
		{"2e-74", "With --json a success is its value and a failure its error, encoded once.", better, "It is one document, the report, whatever the ending.", by{"outcomes.txtar: Every outcome has its exit code, its document and its complete ledger", "runtime.TestReportJSON"}},
		{"2e-75", "Fan-out has 8 workers, rows in the order of the items, and 123 if one fails.", better, "It is Promise.all, 8 at once; each call settles on its own, and the ledger has the script's order.",
			by{"runtime.TestThousandParallelCalls", "cmd/scriptrun.TestA3SRuns/1c-51 Promise.all runs at once; the ledger has the script's order"}},
		{"2e-76", "One kernel runs one thing at a time.", better, "Runs of one runner are independent of each other.", by{"runtime.TestConcurrentRuns"}},
	}
}

func kaishShort() []behaviour {
	return []behaviour{
		{"WK1", "Programs have the real disk and network, past the file system and the budget.", better, "The system's sandbox holds them.", by{"hostapi/shell.TestEscapesFail", "hostapi/shell.TestNothingIsReachedWithoutAList"}},
		{"WK2", "A token is for a path as it was typed, which can lead elsewhere later.", better, "A call is resolved before it is shown; what comes in its place is not touched.",
			by{"hostapi/files.TestWhatWasShownIsWhatIsChanged", "hostapi/files.TestWhatWasDecidedIsWhatIsOpened"}},
		{"WK3", "Tokens are used again, kept without a bound, and short.", better, noTokens, by{"hostapi.TestWhatChangedMeanwhileIsNotMade"}},
		{"WK4", "A process that holds the output makes a call hang beyond its timeout.", better, "The call is over when its first process is.", by{"hostapi/shell.TestDefectTerminals/WK4 WA17 a child that holds the pipe does not hold the command"}},
		{"WK5", "A cut hides the true exit code, and looks like a command's own 3.", better, "It changes no code.", by{"hostapi/shell.TestDefectTerminals/WK5 WK6 a spill leaves the code alone and loses nothing"}},
		{"WK6", "The beginning of a long output is lost, even where files are written.", better, "Beginning and end are kept, and the file has all of it.",
			by{"hostapi/shell.TestDefectTerminals/WK5 WK6 a spill leaves the code alone and loses nothing", "hostapi/shell.TestBufferKeepsHeadAndTail"}},
		{"WK7", "stderr has no bound, and what it loses is not told.", better, "Both streams are bounded and counted.", by{"hostapi/shell.TestDefectTerminals/WK7 both streams are counted and bounded"}},
		{"WK8", "A commit can stop halfway; a crash leaves half a file.", better, "Each file is replaced as a whole; several are not one step.", by{"hostapi/files.TestKilledWritersLeaveNothing"}},
		{"WK9", "Files over 10 MiB are gone though there is a trash; what is restored comes to another place.", better, "The trash takes any size and keeps the path.", by{"hostapi/files.TestDelete"}},
		{"WK10", "The default has commands on, no limit, no budget.", better, "The default has none, and every limit.", by{"cmd/scriptrun.TestA3SRuns/1b-35 nothing is allowed unless it is listed", "hostapi.TestUnknownTool"}},
		{"WK11", "Aliases are split at blanks, quotes or not.", absent, "There are no aliases; words that no shell is to read are an array.", nil},
		{"WK12", "A group is killed by a number that may be another's by then; who left the session escapes.", better, "A keeper process ends the tree, whatever its groups and sessions.",
			by{"hostapi/shell.TestTimeoutEndsTheTree/orphan", "hostapi/sandbox.TestStop"}},
	}
}
