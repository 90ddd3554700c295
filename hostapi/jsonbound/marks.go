// Package jsonbound looks through a JSON text before it is decoded. What a decoder
// makes of a text can be a hundred times larger than the text: [{},{},…] and
// [0,0,…] become an object of memory for every two or three bytes.
//
//	for m := jsonbound.Scan(text); m.Next(); {
//		if m.Depth > 1000 || m.Parts > 1_000_000 {
//			return errTooMuch
//		}
//	}
//
// It takes no memory, and its time is that of reading the text once. It does not
// check the text: what is not JSON has marks too, and is the decoder's to refuse.
package jsonbound

import "bytes"

// Number is the kind of a number's mark.
const Number = '0'

// ObjectParts is what an object counts for: an element of a list takes some 40
// bytes, an object eight times that, and either may be written in two.
const ObjectParts = 8

// Marks goes through the brackets, commas, colons, strings and numbers of a text.
// Literals, such as true, have none. It is for one goroutine.
type Marks struct {
	// Kind is one of { } [ ] , : " or [Number].
	Kind byte
	// Begin and End are where the mark stands in the text, in bytes. A string
	// has its quotes; one that is cut off ends with the text.
	Begin, End int
	// Depth is how many brackets are open, with one that the mark opens and
	// without one that it closes. It is negative where more are closed.
	Depth int
	// Parts is about how many values there are so far, of which an object counts
	// for eight and a list for two, as that is what they take in memory.
	Parts int

	text []byte
}

// Scan begins before the first mark of a text, which must not change meanwhile.
func Scan(text []byte) Marks { return Marks{Parts: 1, text: text} }

// Next goes to the next mark, and reports whether there is one.
func (m *Marks) Next() bool {
	for i := m.End; i < len(m.text); i++ {
		c := m.text[i]
		end := i + 1
		switch c {
		case '"':
			end = endOfString(m.text, i)
		case '{':
			m.Parts += ObjectParts
			m.Depth++
		case '[':
			m.Parts += 2
			m.Depth++
		case '}', ']':
			m.Depth--
		case ',', ':':
			m.Parts++
		case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
			end = endOfNumber(m.text, i)
			c = Number
		default:
			continue
		}
		m.Kind, m.Begin, m.End = c, i, end
		return true
	}
	m.Begin, m.End = len(m.text), len(m.text)
	return false
}

// Text is what stands at the mark.
func (m *Marks) Text() []byte { return m.text[m.Begin:m.End] }

// endOfString is behind the quote that ends the string at i.
func endOfString(text []byte, i int) int {
	for i++; i < len(text); i++ {
		switch text[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	return len(text)
}

func endOfNumber(text []byte, i int) int {
	for i < len(text) && bytes.IndexByte([]byte("0123456789+-.eE"), text[i]) >= 0 {
		i++
	}
	return i
}
