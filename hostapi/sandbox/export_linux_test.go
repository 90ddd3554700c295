package sandbox

// EmptyFolder is what cleans up after commands.
var EmptyFolder = emptyFolder
