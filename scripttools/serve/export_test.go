package serve

// AsWritten is how long a text is in an answer.
var AsWritten = asWritten
