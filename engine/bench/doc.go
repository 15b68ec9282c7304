// Package bench measures what the engine costs against the least that could be
// asked for: a snapshot against the bare walk of the same page, a click against
// a bare pair of mouse events. Everything is measured in one run, in turns, so
// that what else the machine does falls on both sides; ratios are what counts.
//
//	make bench
//
// There is no other code in it. docs/bench.md says how to read what it prints.
package bench
