//go:build !unix

package engine

// openNoFollow: there is no such flag here; the look before and after stands.
const openNoFollow = 0
