// Package devtools is the connection to a browser over the DevTools protocol:
// one transport, one reader, flattened sessions, a deadline for every call and
// events in the order of the wire.
//
// Small calls go through [Session.Call], which is mafredri/cdp's rpcc with an
// own dialer and codec. Large results go past it: [Session.Send] hands the
// bytes of the result to the caller, undecoded, so that a reply of 100 MB costs
// the reader nothing and a small call behind it does not wait.
//
// Rules the rest of the engine relies on:
//   - Events that precede a reply on the wire are in their subscriptions before
//     the call returns.
//   - A call that was given up never touches the caller's values again, and is
//     not sent at all if its turn to be written had not come.
//   - One session that does not read its events loses its subscriptions with
//     ErrOverflow; it never stops the others.
//   - When the connection is lost everything pending ends at once with an error
//     that wraps ErrClosed.
//
// The browser's replies are not trusted: what is not a JSON object ends the
// connection, and anything else that makes no sense is dropped or becomes the
// error of the call it belongs to. Error texts hold no session id and no address.
package devtools
