package programs

// allOperands guards every operand.
func allOperands(why string) func(*line) {
	return func(l *line) {
		for _, at := range l.operands {
			l.guard(at, "the operand "+l.words[at]+" "+why)
		}
	}
}

// firstOperand guards the first operand only.
func firstOperand(why string) func(*line) {
	return func(l *line) {
		if len(l.operands) > 0 {
			l.guard(l.operands[0], "the operand "+l.words[l.operands[0]]+" "+why)
		}
	}
}

// inside guards operands that leave their folder with "..": rm build/* means what
// is below build.
func inside(l *line) {
	for _, at := range l.operands {
		if climbs(l.words[at]) {
			l.guard(at, "the path "+l.words[at]+" climbs with ..")
		}
	}
}

// everything guards every word after the program.
func everything(why string) func(*line) {
	return func(l *line) {
		for at := 1; at < len(l.words); at++ {
			l.guard(at, why)
		}
	}
}
