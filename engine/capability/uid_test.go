package capability

import (
	"testing"

	"cuatui/engine/refusal"
)

func TestAUIDStaysWhileItsNodeDoes(t *testing.T) {
	_, target, tab := oneTab(t)
	send := Ref{K: 2, Role: "button", Name: "Send"}
	clock := Ref{K: 3, Role: "time", Name: "2 minutes ago", Steady: "minutes ago"}
	row := Ref{K: 4, Role: "button", Name: "Delete", RowKey: "Ada"}
	take := func(segments ...[]Ref) {
		n := target.Begin(tab, nil)
		for _, s := range segments {
			target.Put(tab, n, s, false)
		}
	}
	wants := func(when string, want map[string]refusal.Reason) {
		t.Helper()
		for uid, reason := range want {
			got, _, _, r := target.Resolve(tab, uid)
			if reasonOf(r) != reason {
				t.Errorf("%s: %s is answered %v, want %q", when, uid, r, reason)
			}
			if kind, _, k, _ := Parse(uid); r == nil && (got.K != k || kind == KindUID && target.UID(tab, k) != uid) {
				t.Errorf("%s: %s is %+v, whose uid is %s", when, uid, got, target.UID(tab, k))
			}
		}
	}
	wants("before any snapshot", map[string]refusal.Reason{"1_2": refusal.NoSnapshot, "p1:2": refusal.Foreign, "12": refusal.Malformed, "1_02": refusal.Malformed, "1_": refusal.Malformed, "_2": refusal.Malformed, "1_2_3": refusal.Malformed, "u1_2": refusal.Malformed, "u1:2": refusal.Malformed, "1:2": refusal.Malformed, "p1_2": refusal.Malformed})

	take([]Ref{send, clock}, []Ref{row})
	wants("first", map[string]refusal.Reason{"1_2": "", "1_3": "", "1_4": "", "1_5": refusal.Foreign, "2_2": refusal.Foreign, "p1:2": ""})

	later := clock
	later.Name = "3 minutes ago"
	take([]Ref{send}, []Ref{later, row}) // of other segments
	wants("all stayed", map[string]refusal.Reason{"1_2": "", "1_3": "", "1_4": "", "2_2": refusal.Foreign, "p1:2": refusal.Superseded, "p2:2": ""})

	recycled := row
	recycled.RowKey = "Bob"
	take([]Ref{later, recycled})
	wants("one went, one became another's", map[string]refusal.Reason{"1_2": refusal.Superseded, "1_3": "", "1_4": refusal.Superseded, "3_4": ""})
	if _, old, now, _ := target.Resolve(tab, "1_4"); old == nil || old.RowKey != "Ada" || now == nil || now.RowKey != "Bob" {
		t.Errorf("the uid was of %+v, and is of %+v", old, now)
	}

	renamed := send
	renamed.Name = "Sent"
	take([]Ref{send, row, later})
	wants("it is back", map[string]refusal.Reason{"1_2": refusal.Superseded, "4_2": "", "1_4": refusal.Superseded, "3_4": refusal.Superseded, "4_4": "", "1_3": ""})
	take([]Ref{renamed})
	wants("it is called otherwise", map[string]refusal.Reason{"4_2": refusal.Superseded, "5_2": ""})

	target.Invalidate(tab)
	wants("the document is another", map[string]refusal.Reason{"5_2": refusal.Navigated, "4_2": refusal.Superseded, "9_9": refusal.Foreign})
	take([]Ref{renamed})
	wants("nothing outlives its document", map[string]refusal.Reason{"5_2": refusal.Navigated, "6_2": ""})

	for range 2 * rememberMax {
		take([]Ref{renamed})
	}
	wants("however long it stays", map[string]refusal.Reason{"6_2": ""})
}
