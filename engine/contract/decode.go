package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode/utf8"
)

// Decode reads the arguments of a call into a new T, strictly: names match
// exactly, and an unknown or repeated name, a missing one, a value of another
// type (null included) or anything after the object is an *ArgumentError that
// names the field. An optional argument given as "" or 0 counts as left out.
// No arguments at all count as an empty object.
//
// T is a struct of plain fields, or of pointers to such structs; each json tag without omitempty is required.
func Decode[T any](raw []byte) (*T, error) {
	if len(raw) == 0 {
		raw = []byte("{}")
	}
	if !utf8.Valid(raw) { // the decoder would put other characters in its place
		return nil, &ArgumentError{Message: "is not valid UTF-8"}
	}
	out := new(T)
	if err := decodeObject(raw, reflect.ValueOf(out).Elem()); err != nil {
		return nil, err
	}
	return out, nil
}

func decodeObject(raw []byte, into reflect.Value) error {
	fields := jsonFields(into.Type())
	dec := json.NewDecoder(bytes.NewReader(raw))
	if tok, err := dec.Token(); err != nil {
		return notJSON("", err)
	} else if tok != json.Delim('{') {
		return &ArgumentError{Message: "must be a JSON object"}
	}
	seen := map[string]bool{}
	for dec.More() {
		if err := decodeMember(dec, into, fields, seen); err != nil {
			return err
		}
	}
	if _, err := dec.Token(); err != nil { // the closing brace
		return notJSON("", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return &ArgumentError{Message: "something follows the JSON object"}
	}
	for _, f := range fields {
		if f.required && !seen[f.name] {
			return &ArgumentError{Field: f.name, Message: "is required"}
		}
	}
	return nil
}

func decodeMember(dec *json.Decoder, into reflect.Value, fields []jsonField, seen map[string]bool) error {
	tok, err := dec.Token()
	if err != nil {
		return notJSON("", err)
	}
	name, ok := tok.(string)
	if !ok {
		return &ArgumentError{Message: "must be a JSON object"}
	}
	var value json.RawMessage
	if err := dec.Decode(&value); err != nil {
		return notJSON(shorten(name), err)
	}
	if seen[name] {
		return &ArgumentError{Field: shorten(name), Message: "is given twice"}
	}
	seen[name] = true
	for _, f := range fields {
		if f.name != name {
			continue
		}
		target := into.FieldByIndex(f.index)
		if t := target.Type(); t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct {
			target.Set(reflect.New(t.Elem()))
			return within(name, decodeObject(value, target.Elem()))
		}
		null := string(value) == "null" && target.Type() != reflect.TypeFor[json.RawMessage]()
		if null || json.Unmarshal(value, target.Addr().Interface()) != nil {
			return &ArgumentError{Field: name, Message: "must be " + kindInWords(target.Type())}
		}
		return nil
	}
	return &ArgumentError{Field: shorten(name), Message: "is not an argument of this call" + alternatives(fields)}
}

// alternatives names what would have been one.
func alternatives(fields []jsonField) string {
	if len(fields) == 0 {
		return ""
	}
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	return "; it takes " + strings.Join(names, ", ")
}

// within puts the field of an argument error inside of an object.
func within(object string, err error) error {
	var bad *ArgumentError
	if !errors.As(err, &bad) {
		return err
	}
	field := object
	if bad.Field != "" {
		field += "." + bad.Field
	}
	return &ArgumentError{Field: field, Message: bad.Message}
}

// jsonField is one field of a request as JSON sees it.
type jsonField struct {
	name     string
	index    []int
	required bool
}

func jsonFields(t reflect.Type) []jsonField {
	var fields []jsonField
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || !f.IsExported() || name == "" || name == "-" {
			continue
		}
		optional := strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
		fields = append(fields, jsonField{name: name, index: f.Index, required: !optional})
	}
	return fields
}

func notJSON(field string, err error) *ArgumentError {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return &ArgumentError{Field: field, Message: "is not valid JSON: it ends too early"}
	}
	return &ArgumentError{Field: field, Message: fmt.Sprintf("is not valid JSON: %v", err)}
}

// shorten bounds a name that came from outside before it is repeated.
func shorten(name string) string {
	const most = 64
	if utf8.RuneCountInString(name) <= most {
		return name
	}
	return string([]rune(name)[:most]) + "…"
}

func kindInWords(t reflect.Type) string {
	switch t.Kind() { //nolint:exhaustive // requests hold only these kinds; a test walks them
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Uint64:
		return "a whole number from 0"
	case reflect.Int:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Float64 {
			return "a list of numbers"
		}
		return "a list of strings"
	}
	return "of another type"
}
