// Package limits names every budget of the engine in one place, with its unit.
package limits

import "time"

// Protocol budgets.
const (
	// CallTimeout bounds one protocol call that has no budget of its own.
	CallTimeout = 20 * time.Second
	// ConnectTimeout bounds the start of a connection and its first answer.
	ConnectTimeout = 10 * time.Second
	// LostBrowserTimeout bounds how long a call may outlive its browser.
	LostBrowserTimeout = 2 * time.Second
	// MessageBytesMax is the largest protocol message read. A full tree of a
	// page with 250 k elements measured 101 MB.
	MessageBytesMax = 512 << 20
	// SessionQueueBytesMax bounds the events a protocol session may hold unread.
	SessionQueueBytesMax = 64 << 20
	// UnclaimedBytesMax bounds messages of sessions that nobody has claimed yet.
	UnclaimedBytesMax = 8 << 20
)

// Snapshot budgets.
const (
	// NodeBudget is the number of entries of a segment when the caller names none.
	NodeBudget = 300
	// NodeBudgetMax is the largest a caller may ask for.
	NodeBudgetMax = 2000
	// OutputTokens is the output budget of a segment, in estimated tokens.
	OutputTokens = 16_000
	// NearMarginPx is how far outside the viewport a node still counts as near, CSS px.
	NearMarginPx = 1000
	// NameCharsMax is the longest name or value shown; what is cut is marked and counted.
	NameCharsMax = 1000
	// SnapshotTimeout bounds a whole snapshot.
	SnapshotTimeout = 30 * time.Second
	// WalkSlice is how long the survey walks before the page gets its turn. The
	// bare walk of 100 k elements, which is what the stall of a page is held
	// against, measured 490 ms; 16 ms go to each frame that is waited for.
	WalkSlice = 250 * time.Millisecond
	// WalkBudget is the most a survey may take of the page's own thread; what is
	// left then is counted as not walked.
	WalkBudget = 8 * time.Second
	// HitTestsMax bounds the points of one survey; a candidate beyond it is unknown.
	HitTestsMax = 20_000
	// HitTime bounds the time of one survey's hit tests; on a page with one
	// giant line a single test takes 10 ms.
	HitTime = 1500 * time.Millisecond
	// AccessibilityTimeout bounds the accessibility source for one segment;
	// after it the snapshot falls back to computed meaning, and says so.
	AccessibilityTimeout = 1500 * time.Millisecond
)

// Budgets of the protocol collector, for one process's documents.
const (
	// HydrateCalls and HydrateTime bound the calls for branches that did not
	// come with the document, and when the last may be made.
	HydrateCalls = 64
	HydrateTime  = 2 * time.Second
	// DOMNodesMax is where no further branch is asked for.
	DOMNodesMax = 50_000
	// DOMDepthMax bounds the levels taken from one reply.
	DOMDepthMax = 2000
)

// Binding budgets.
const (
	// BoxToleranceDIP is how far each edge of a native and a browser window may
	// differ and still match, in device-independent pixels.
	BoxToleranceDIP = 8.0
	// AnswerTimeout bounds one question to the browser itself, not to a page of
	// it, while something is proven of it, and the start of a connection to a
	// running one. It answers such a question without any page, in milliseconds;
	// what takes seconds on a machine that is busy is told apart from a browser
	// that hangs.
	AnswerTimeout = 5 * time.Second
	// FirstAnswerTimeout bounds the first answer of a page to a new session. A
	// page that a dialog held up before gives none; nor does one whose script or
	// layout takes longer than this, which cannot be told apart.
	FirstAnswerTimeout = 5 * time.Second
	// VerdictTimeout bounds what list_windows asks of one browser. It is longer
	// than the 2 s in which all of a process's listeners have to answer, so that
	// a silent one among them does not cost the browser its verdict.
	VerdictTimeout = 2500 * time.Millisecond
	// LaunchTimeout bounds the start of an isolated browser up to its first window.
	LaunchTimeout = 30 * time.Second
	// EndSessionTimeout bounds the release of everything a session owns.
	EndSessionTimeout = 2 * time.Second
	// ConnectionsMax bounds the clients of one HTTP server, each with sessions of
	// its own.
	ConnectionsMax = 64
	// ConnectionIdle is how long a connection over HTTP may make no request, and
	// ConnectionLost how long one whose stream has broken: its client is gone, or
	// comes back at once.
	ConnectionIdle = 30 * time.Minute
	ConnectionLost = time.Minute
	// GrantIdle and GrantAbsolute are how long a person's consent lasts: unused,
	// and at most.
	GrantIdle     = 30 * time.Minute
	GrantAbsolute = 8 * time.Hour
)

// Acting budgets.
const (
	// SettleTimeout bounds the wait for an effect to show after delivery.
	SettleTimeout = 500 * time.Millisecond
	// CharTimeout and KeyTimeout are how much longer than a call a text may take
	// for each of its characters, put in at once and by a key. A text area takes
	// a text of many lines slowly.
	CharTimeout = time.Millisecond
	KeyTimeout  = 20 * time.Millisecond
	// DrawTimeout bounds the wait for the first frame of a tab that was hidden,
	// before a key is sent to it. It comes within 0.3 s; a busy machine takes longer.
	DrawTimeout = 5 * time.Second
	// CaptureTTL is how long a point of a screenshot may be clicked, and
	// CapturesMax how many screenshots of a tab may be clicked in at once.
	CaptureTTL  = 120 * time.Second
	CapturesMax = 32
	// UploadFilesMax is how many files one call hands over.
	UploadFilesMax = 32
	// UploadBytesMax is how large they may be together.
	UploadBytesMax = 512 << 20
	// DownloadBytesMax is how large a download may be where the caller names no
	// limit, and DownloadTime how long it may take.
	DownloadBytesMax = 1 << 30
	DownloadTime     = 30 * time.Second
	// NavigateTimeout bounds a navigation up to the load state asked for.
	NavigateTimeout = 20 * time.Second
)
