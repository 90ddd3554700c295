package hostapi

// Unwrapper is implemented by tools that stand in for another one: they do something
// before or after it, and are it in all else.
type Unwrapper interface {
	Unwrap() Tool
}

// As is a tool's optional power, such as a [Scoper] or a [Starter]: its own, or else
// that of the tool that it stands in for. So a tool that decorates another one by
// Name, Invoke and Unwrap alone loses none of its powers but one: a [Gate] starts nothing
// in the background that would pass by its Invoke, unless it has a Start of its own.
func As[T any](tool Tool) (power T, ok bool) {
	for tool != nil {
		if power, ok = tool.(T); ok {
			return power, true
		}
		wrapper, wraps := tool.(Unwrapper)
		if !wraps {
			break
		}
		tool = wrapper.Unwrap()
	}
	return power, false
}
