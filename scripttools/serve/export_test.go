package serve

// AsWritten is the length of a text in an answer.
var AsWritten = asWritten
