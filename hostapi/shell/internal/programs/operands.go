package programs

// allOperands guards all of them.
func allOperands(why string) func(*line) {
	return func(l *line) {
		for _, at := range l.operands {
			l.guard(at, "the operand "+l.words[at]+" "+why)
		}
	}
}

// firstOperand guards the first; the others are covered.
func firstOperand(why string) func(*line) {
	return func(l *line) {
		if len(l.operands) > 0 {
			l.guard(l.operands[0], "the operand "+l.words[l.operands[0]]+" "+why)
		}
	}
}

// inside guards the operands that lead out of the folder that they are
// relative to. Who writes rm build/* means what is below build.
func inside(l *line) {
	for _, at := range l.operands {
		if climbs(l.words[at]) {
			l.guard(at, "the path "+l.words[at]+" climbs with ..")
		}
	}
}

// everything guards every word: whatever comes is code, or its arguments.
func everything(why string) func(*line) {
	return func(l *line) {
		for at := 1; at < len(l.words); at++ {
			l.guard(at, why)
		}
	}
}
