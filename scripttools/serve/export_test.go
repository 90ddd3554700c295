package serve

// AsWritten is the length of a text in an answer.
var AsWritten = asWritten

// Weight is about how many bytes a receipt takes.
var Weight = weight
