package snapshotfmt

// Omission documents one way in which a candidate is left out: a reason, or
// with Sub one of its finer causes.
type Omission struct {
	Reason OmitReason
	Sub    string
	// Meaning is a sentence about the node.
	Meaning string
	// Do says what brings the node into a snapshot, or makes it usable.
	Do string
	// Example is the body of a page in which the node that says Target is left
	// out so. It is "" for what a page by itself does not bring about; See then
	// says how to come by it.
	Example, See string
}

// Omissions is every reason in its order of precedence, each before its
// sub-reasons. The sub-reasons of a frame are sentences themselves.
var Omissions = []Omission{
	{
		Reason: OmitUnprovableFrame, Meaning: "It is in a frame whose place or document could not be proved.",
		Do: "Take a new snapshot once the page has come to rest; the sub-reason says what was missing.", See: "frames that navigate or go away while they are read",
	},
	{
		Reason: OmitUnprovableFrame, Sub: "another process's frame is not attached", Meaning: "The frame lives in another process, to which the browser gave no session.",
		Do: "Take a new snapshot; a frame that has just been made is attached a moment later.", See: "a cross-site frame of a browser that refuses to attach",
	},
	{
		Reason: OmitUnprovableFrame, Sub: "changed while it was read", Meaning: "The frame's document or place changed between two looks at it.",
		Do: "Take a new snapshot.", See: "a frame that moves all the time",
	},
	{
		Reason: OmitUnprovableFrame, Sub: "frames are nested too deep", Meaning: "More frames are inside each other than are followed.",
		Do: "Open the inner page in a tab of its own.", See: "frames nested without end",
	},
	{
		Reason: OmitUnprovableFrame, Sub: "its owner is gone", Meaning: "The element that held the frame left the page.",
		Do: "Take a new snapshot.", See: "a frame that is removed while it is read",
	},
	{
		Reason: OmitUnprovableFrame, Sub: "its place in the page is not known", Meaning: "The element that holds the frame was not found, or is not laid out in a way that can be computed.",
		Do: "Take a new snapshot.", See: "a frame in a closed shadow tree that no look reaches",
	},
	{
		Reason: OmitUnprovableFrame, Sub: "navigated while it was entered", Meaning: "The frame went to another document before the first could be read.",
		Do: "Wait for it to load, then take a new snapshot.", See: "a frame that is still loading",
	},
	{
		Reason: OmitUnprovableFrame, Sub: "navigated while it was read", Meaning: "The frame went to another document while it was read.",
		Do: "Wait for it to load, then take a new snapshot.", See: "a frame that is still loading",
	},

	{
		Reason: OmitCSSHidden, Meaning: "A style or an attribute hides it, on itself or on something around it.",
		Do: "Make the page show it, as a person would: open the menu, dialog or section it belongs to.", See: "the sub-reasons",
	},
	{
		Reason: OmitCSSHidden, Sub: "aria_hidden", Meaning: "It, or something around it, says aria-hidden: the page declares it as not for anyone who does not see the screen.",
		Do: "Use the control that stands in its place; there mostly is one with the same effect.", Example: `<div aria-hidden="true"><button>Target</button></div>`,
	},
	{
		Reason: OmitCSSHidden, Sub: "behind_modal", Meaning: "A modal dialog is open, and everything outside it takes no input.",
		Do: "Answer or close the dialog first.", Example: `<button>Target</button><dialog id="d"><button>Close</button></dialog><script>document.getElementById("d").showModal()</script>`,
	},
	{
		Reason: OmitCSSHidden, Sub: "closed_details", Meaning: "It is in a details element that is closed.",
		Do: "Click the summary.", Example: `<details><summary>More</summary><button>Target</button></details>`,
	},
	{
		Reason: OmitCSSHidden, Sub: "content_visibility", Meaning: "Something around it has content-visibility: hidden, and its content is not rendered.",
		Do: "Make the page show it.", Example: `<div style="content-visibility:hidden"><button>Target</button></div>`,
	},
	{
		Reason: OmitCSSHidden, Sub: "display", Meaning: "It, or something around it, has display: none.",
		Do: "Make the page show it.", Example: `<div style="display:none"><button>Target</button></div>`,
	},
	{
		Reason: OmitCSSHidden, Sub: "hidden", Meaning: "It, or something around it, has the attribute hidden.",
		Do: "Make the page show it.", Example: `<div hidden><button>Target</button></div>`,
	},
	{
		Reason: OmitCSSHidden, Sub: "inert", Meaning: "It, or something around it, is inert and takes no input.",
		Do: "End what makes it inert: mostly a dialog that is no dialog element.", Example: `<div inert><button>Target</button></div>`,
	},
	{
		Reason: OmitCSSHidden, Sub: "mask", Meaning: "A mask leaves nothing of it.",
		Do: "Make the page show it.", Example: `<div style="mask-image:linear-gradient(transparent,transparent)"><button>Target</button></div>`,
	},
	{
		Reason: OmitCSSHidden, Sub: "opacity", Meaning: "Its opacity, multiplied through everything around it, is below 0.01; or its text has no colour or the very colour of what it stands on, or it is a button or link of nothing at all, and nothing is drawn in its place.",
		Do: "Make the page show it; some controls appear when the pointer is over the row they belong to.", Example: `<div style="opacity:0"><button>Target</button></div>`,
	},
	{
		Reason: OmitCSSHidden, Sub: "popover", Meaning: "It is in a popover that is closed.",
		Do: "Click what opens the popover.", Example: `<div popover><button>Target</button></div>`,
	},
	{
		Reason: OmitCSSHidden, Sub: "visibility", Meaning: "Its visibility is hidden or collapse.",
		Do: "Make the page show it.", Example: `<button style="visibility:hidden">Target</button>`,
	},

	{
		Reason: OmitNoLayout, Meaning: "It has no box that anything of it could be seen in.",
		Do: "Make the page show it; the sub-reason says what takes it away.", See: "the sub-reasons",
	},
	{
		Reason: OmitNoLayout, Sub: "clipped", Meaning: "What is around it clips it away, or leaves a pixel of it: the usual way to keep a text for screen readers only.",
		Do: "Use what stands in its place. Where it is a scroll box that clips it, scroll that.", Example: `<div style="position:relative;width:80px;height:20px;overflow:clip"><button style="position:absolute;left:200px">Target</button></div>`,
	},
	{
		Reason: OmitNoLayout, Sub: "off_canvas", Meaning: "It is where no scrolling leads: left of or above the page.",
		Do: "Make the page bring it in, as a menu that slides in.", Example: `<button style="position:absolute;left:-9999px">Target</button>`,
	},
	{
		Reason: OmitNoLayout, Sub: "unslotted", Meaning: "It is a child of a shadow host that no slot takes in, and is not rendered.",
		Do: "Nothing: it is not on the page.", Example: `<div id="h"><button>Target</button></div><script>document.getElementById("h").attachShadow({mode:"open"})</script>`,
	},
	{
		Reason: OmitNoLayout, Sub: "zero_area", Meaning: "Its box has no width or no height, or is scaled to less than half a px of one.",
		Do: "Make the page show it.", Example: `<button style="width:0;height:0;padding:0;border:0;overflow:hidden">Target</button>`,
	},

	{
		Reason: OmitPageOccluded, Meaning: "Another element of the page takes every point of it and hides it.",
		Do: "Close what covers it: a banner, a dialog, a menu.", See: "the sub-reasons",
	},
	{
		Reason: OmitPageOccluded, Sub: "backdrop", Meaning: "The backdrop of what is in the top layer covers the page.",
		Do:  "Answer or close what is on top.",
		See: "a popover with a backdrop that is painted, as in the fixture page hard/popover-layers",
	},
	{
		Reason: OmitPageOccluded, Sub: "covered", Meaning: "Something opaque lies over it.",
		Do: "Close what covers it. The explanation names it.", Example: `<button>Target</button><div style="position:fixed;inset:0;background:#fff"></div>`,
	},
	{
		Reason: OmitPageOccluded, Sub: "covered_frame", Meaning: "It is in a frame that another element of the page covers.",
		Do: "Close what covers the frame.", See: "a page with a banner over an advertisement",
	},
	{
		Reason: OmitPageOccluded, Sub: "inner_control", Meaning: "Another control inside it takes every point of it.",
		Do: "Use the inner control.", See: "a link wholly filled by an opaque button",
	},
	{
		Reason: OmitPageOccluded, Sub: "pointer_events_none", Meaning: "It lets the pointer through, and what is under its place is opaque.",
		Do: "Use what takes the pointer there.", See: "a control without pointer events under the paint of what is around it",
	},
	{
		Reason: OmitPageOccluded, Sub: "with_control", Meaning: "It is the text of a control that is covered.",
		Do: "Close what covers the control.", Example: `<button>Press <span>Target</span></button><div style="position:fixed;inset:0;background:#fff"></div>`,
	},

	{
		Reason: OmitUnknown, Meaning: "It was not decided whether it can be seen and hit; the last segments list it, as unknown.",
		Do: "Take a snapshot of a smaller part of the page: by scope or query.", See: "the sub-reasons",
	},
	{
		Reason: OmitUnknown, Sub: "budget", Meaning: "The time or the number of hit tests of one snapshot was used up before its turn.",
		Do: "Take a snapshot by scope or query; it asks only about that part.", See: "thousands of controls that cover each other, as in the fixture page hard/dense-covered",
	},
	{
		Reason: OmitUnknown, Sub: "no_point", Meaning: "At none of its points did the browser name an element.",
		Do: "Take a new snapshot; the page was about to change.", See: "a page that is laid out anew while it is read",
	},
	{
		Reason: OmitUnknown, Sub: "with_control", Meaning: "It is the text of a control about which nothing was decided.",
		Do: "Ask why of the control.", See: "as unknown/budget",
	},

	{
		Reason: OmitFolded, Meaning: "Another line says it: it would only repeat that.",
		Do: "Use the line that says it.", See: "the sub-reasons",
	},
	{
		Reason: OmitFolded, Sub: "inline", Meaning: "It is a piece of running text, and its paragraph says it.",
		Do: "Use the paragraph.", Example: `<p>before <b>Target</b> after</p>`,
	},
	{
		Reason: OmitFolded, Sub: "option", Meaning: "It is an option of a select; its select is listed and chooses among them.",
		Do: "Select it by the ref of the select.", Example: `<select><option>One</option><option>Target</option></select>`,
	},
	{
		Reason: OmitFolded, Sub: "same_text", Meaning: "It is the text of a control or label whose name says it.",
		Do: "Use the control.", Example: `<button><span>Target</span></button>`,
	},

	{
		Reason: OmitIgnored, Meaning: "It was a candidate, and is none any more.",
		Do: "Take a new snapshot.", See: "the sub-reason",
	},
	{
		Reason: OmitIgnored, Sub: "gone", Meaning: "It left the page after the first segment of the snapshot.",
		Do: "Take a new snapshot.", See: "a list that is rendered anew between two segments",
	},

	{
		Reason: OmitNear, Meaning: "It is outside the viewport, within 1000 px of it; a later segment lists it.",
		Do: "Ask for the next segment, or scroll.", Example: `<div style="height:900px"></div><button>Target</button>`,
	},
	{
		Reason: OmitOffscreen, Meaning: "It is further away than that; a later segment lists it.",
		Do: "Ask for further segments, by query, or scroll.", Example: `<div style="height:9000px"></div><button>Target</button>`,
	},
	{
		Reason: OmitBudget, Meaning: "It is in view, but over the nodes or tokens of this segment; the next one lists it.",
		Do: "Ask for the next segment.", See: "a page with more in view than the budget, as make demo has",
	},
}

// OmissionOf documents a reason with a sub-reason, or the reason alone where
// the sub-reason is "" or not known. exact says that both were found.
func OmissionOf(r OmitReason, sub string) (o Omission, exact bool) {
	for i := range Omissions {
		switch x := &Omissions[i]; {
		case x.Reason != r:
		case x.Sub == sub:
			return *x, true
		case x.Sub == "":
			o = *x
		}
	}
	return o, false
}
