package act

import (
	"strconv"
	"unicode"

	"cuatui/engine/devtools"
)

// key is a key as the protocol names it.
type key struct {
	key, code, text string
	vk              int // Windows virtual key code
}

// keyTable holds the named keys.
var keyTable = func() map[string]key {
	m := map[string]key{
		"Enter": {"Enter", "Enter", "\r", 13}, "Space": {" ", "Space", " ", 32}, "Tab": {"Tab", "Tab", "", 9},
		"Escape": {"Escape", "Escape", "", 27}, "Backspace": {"Backspace", "Backspace", "", 8}, "Delete": {"Delete", "Delete", "", 46},
		"Home": {"Home", "Home", "", 36}, "End": {"End", "End", "", 35}, "PageUp": {"PageUp", "PageUp", "", 33}, "PageDown": {"PageDown", "PageDown", "", 34},
		"ArrowLeft": {"ArrowLeft", "ArrowLeft", "", 37}, "ArrowUp": {"ArrowUp", "ArrowUp", "", 38},
		"ArrowRight": {"ArrowRight", "ArrowRight", "", 39}, "ArrowDown": {"ArrowDown", "ArrowDown", "", 40},
	}
	for i := 1; i <= 12; i++ {
		name := "F" + strconv.Itoa(i)
		m[name] = key{name, name, "", 111 + i}
	}
	return m
}()

// keyOf is the key that types a character.
func keyOf(r rune) key {
	switch r {
	case '\n', '\r':
		return keyTable["Enter"]
	case ' ':
		return keyTable["Space"]
	}
	k := key{key: string(r), text: string(r)}
	switch up := unicode.ToUpper(r); {
	case up >= 'A' && up <= 'Z':
		k.code, k.vk = "Key"+string(up), int(up)
	case r >= '0' && r <= '9':
		k.code, k.vk = "Digit"+string(r), int(r)
	}
	return k
}

// The modifier bits of the protocol.
var modifierBits = map[string]int{"Alt": 1, "Control": 2, "Meta": 4, "Shift": 8}

// stroke sends one key down and up.
func (c *attempt) stroke(k key, modifiers int) []*devtools.Pending {
	down := map[string]any{"type": "rawKeyDown", "key": k.key, "code": k.code, "windowsVirtualKeyCode": k.vk, "modifiers": modifiers}
	if k.text != "" && modifiers&^modifierBits["Shift"] == 0 {
		down["type"], down["text"], down["unmodifiedText"] = "keyDown", k.text, k.text
	}
	up := map[string]any{"type": "keyUp", "key": k.key, "code": k.code, "windowsVirtualKeyCode": k.vk, "modifiers": modifiers}
	return []*devtools.Pending{c.Tab.Send("Input.dispatchKeyEvent", down), c.Tab.Send("Input.dispatchKeyEvent", up)}
}
