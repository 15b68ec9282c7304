package tui

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"cuatui/engine/contract"
)

var (
	conditionForm = regexp.MustCompile(`^([a-z_]+)=("(?:[^"\\]|\\.)*"|[^\s"]*)(?:\s+|$)`)
	namesForm     = regexp.MustCompile(`^[a-z_]+=`)
)

// readExpect reads post-conditions as a person types them: name=value, by the
// names of the contract, a value with spaces in quotes; anything else is a text
// that has to show. It is nil for an empty line. The error says what is wrong.
func readExpect(s string) (*contract.Expect, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return nil, nil
	}
	given := map[string]any{}
	if !namesForm.MatchString(s) {
		given["text"], s = s, ""
	}
	for s != "" {
		part := conditionForm.FindStringSubmatch(s)
		if part == nil {
			return nil, errors.New(`must be name=value, a value with spaces in quotes: text="is sent" state=checked`)
		}
		name, value := part[1], part[2]
		if strings.HasPrefix(value, `"`) {
			var err error
			if value, err = strconv.Unquote(value); err != nil {
				return nil, fmt.Errorf("%s is not quoted rightly", part[2])
			}
		}
		if _, twice := given[name]; twice {
			return nil, fmt.Errorf("%s is given twice", name)
		}
		given[name] = value
		if name == "download" {
			given[name] = value == "true"
		}
		s = s[len(part[0]):]
	}
	raw, err := json.Marshal(given)
	if err != nil {
		return nil, err
	}
	var x contract.Expect
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&x); err != nil {
		return nil, errors.New("no such condition; text, text_gone, url_part, state, value, dialog, download")
	}
	return &x, x.Validate()
}
