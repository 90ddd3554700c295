package hostapi

// Unwrapper is implemented by tools that decorate another tool: they do something
// before or after it, and are otherwise like it.
type Unwrapper interface {
	Unwrap() Tool
}

// As finds an optional interface of a tool, such as [Scoper]: the tool's own, or that
// of the tool it decorates. So a decorator needs only Name, Invoke and Unwrap, with
// one exception: it also needs Start to run in the background, because a [Gate] does
// not bypass its Invoke.
func As[T any](tool Tool) (power T, ok bool) {
	for range maxLayers {
		if tool == nil {
			break
		}
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
