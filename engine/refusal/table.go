package refusal

import "slices"

// Entry documents one reason: what it means, who raises it, what a caller does
// about it and how a person sees it live.
type Entry struct {
	Reason  Reason
	Code    Code
	Meaning string
	Raised  string
	Do      string
	See     string
}

// CodeEntry says what the reasons of one code have in common.
type CodeEntry struct {
	Code    Code
	Meaning string
}

// Codes is the closed set of codes, in the order it is documented.
var Codes = []CodeEntry{
	{RouteUnavailable, "There is no way to speak to this browser, or the system could not say."},
	{RequiresSetup, "The browser could be reached, but nobody has opened a way in yet."},
	{BindingAmbiguous, "Several things fit equally well. The engine lists them and picks none."},
	{BindingStale, "What was bound is no longer there, or is no longer the same."},
	{WrongTargetRefused, "The window or tab is not provably the one that was meant."},
	{TabRequired, "The call concerns one tab and names none."},
	{TabNotFound, "The named tab is not among the tabs of the target."},
	{RefStale, "The ref, scope or continuation no longer names a provable node."},
	{ActionUnavailable, "The node is the right one, but this cannot be done to it now."},
	{InputTrustUnavailable, "The asked route cannot deliver trusted input here without harm. No other route is tried in its place."},
	{EndpointOwnerMismatch, "The process at the other end of the endpoint is not the browser that was meant."},
	{ConsentRequired, "A person has to agree first."},
	{ConsentRevoked, "A person said no."},
	{ReconnectExhausted, "The connection was lost and the bounded attempts to restore it failed."},
	{InputIncomplete, "Text input did not arrive whole."},
	{OriginOutsideScope, "The page belongs to an origin that this session may not touch."},
}

// Table is the whole vocabulary, in the order it is documented. The texts are
// in table_bind.go (binding, tabs, refs) and table_act.go (acting, consent).
var Table = slices.Concat(bindReasons, refReasons, actReasons, trustReasons)

var codes = func() map[Reason]Code {
	m := make(map[Reason]Code, len(Table))
	for _, e := range Table {
		m[e.Reason] = e.Code
	}
	return m
}()

// CodeOf returns the code a reason maps to, and whether the reason exists.
func CodeOf(r Reason) (Code, bool) {
	c, ok := codes[r]
	return c, ok
}
