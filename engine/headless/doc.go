// Package headless is the engine's face for programs: the Model Context
// Protocol and JSON lines over a pair of streams, and the one-shot commands of
// the command line. It translates and nothing else: what a call may do and what
// it is refused is the engine's business, so that no face can do more than
// another.
package headless
