// Package e2e holds the end-to-end tests: a real Chromium on a real X display,
// with another window in front of it. They judge by what the page itself
// reported to the fixture server and by what the display says from outside,
// never by the tool's answer alone. There is no other code in it.
package e2e
