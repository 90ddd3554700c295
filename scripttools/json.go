package scripttools

import (
	"bytes"
	"encoding/json"
	"errors"
)

// decodeJSON reads a header between ;;; fences. first is the file's line of
// the block's first line.
func decodeJSON(block []byte, first int) tree {
	d := &jsonDecoder{places: newPlaces(block, first), maxNodes: maxNodes, maxDepth: maxDepth}
	// A whole pass first: the token stream below forgives some errors, and
	// this one knows their offsets.
	var whole json.RawMessage
	if err := json.Unmarshal(block, &whole); err != nil {
		at := len(block)
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) && syntax.Error() != "unexpected end of JSON input" {
			at = int(syntax.Offset) - 1
		}
		d.flaw(d.place(at), "", "this is not JSON: %v", err)
		return d.tree
	}
	d.decoder = json.NewDecoder(bytes.NewReader(block))
	d.decoder.UseNumber()
	root := d.value(0)
	if root != nil && root.kind != kindMap {
		d.flaw(root.at, "", "a header is an object of keys and values, not %s", root.kind)
		return d.tree
	}
	d.root = root
	return d.tree
}

type jsonDecoder struct {
	tree
	places
	decoder *json.Decoder
	nodes   int

	maxNodes, maxDepth int
}

// next is the place of the token that follows.
func (d *jsonDecoder) next() place {
	offset := int(d.decoder.InputOffset())
	for offset < len(d.block) && bytes.IndexByte([]byte(" \t\r\n,:"), d.block[offset]) >= 0 {
		offset++
	}
	return d.place(offset)
}

// value reads the next value; nil if the header is too large or too deep.
func (d *jsonDecoder) value(depth int) *node {
	n := &node{at: d.next()}
	if d.nodes++; d.nodes > d.maxNodes || depth > d.maxDepth {
		d.flaw(n.at, "", tooLarge)
		return nil
	}
	token, err := d.decoder.Token()
	if err != nil {
		d.flaw(n.at, "", "this is not JSON: %v", err)
		return nil
	}
	switch v := token.(type) {
	case nil:
		n.kind = kindNull
	case bool:
		n.kind, n.text = kindBool, boolText(v)
	case json.Number:
		n.kind, n.text = kindNumber, v.String()
		d.checkNumber(n)
	case string:
		n.kind, n.text = kindText, v
		if int(d.decoder.InputOffset())-d.offset == len(v)+2 { // no escapes
			n.inner = n.at.col + 1
		}
	case json.Delim:
		return d.container(n, v, depth)
	}
	return n
}

func (d *jsonDecoder) container(n *node, open json.Delim, depth int) *node {
	n.kind = kindMap
	if open == '[' {
		n.kind = kindList
	}
	for d.decoder.More() {
		var f field
		if n.kind == kindMap {
			f.at = d.next()
			token, err := d.decoder.Token()
			if err != nil {
				d.flaw(f.at, "", "this is not JSON: %v", err)
				return nil
			}
			f.key, _ = token.(string)
		}
		if f.value = d.value(depth + 1); f.value == nil {
			return nil
		}
		if n.kind == kindMap {
			d.add(n, f)
		} else {
			n.items = append(n.items, f.value)
		}
	}
	if _, err := d.decoder.Token(); err != nil {
		d.flaw(d.next(), "", "this is not JSON: %v", err)
		return nil
	}
	return n
}
