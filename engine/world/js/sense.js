// What a control is for, beyond its role and name: a node that a page uses
// again for something else may keep both.

// keyOf tells one use of a node from another: the row that it is in, and the
// dialog that it answers. useOf says where e leads or sends to, and with what.
// A ref is good for the key and the use that it was made for, and no others; but
// a use that the ref's own action has changed, as a way to the next page does,
// is still the one that was meant.
const keyOf = (e) => [rowKey(e), questionOf(e)].filter(Boolean).join("; ");
const questionOf = (e) => { const m = FIELD_ROLE.has(roleOf(e)) ? "" : once("asked", flatParent(e), askedAround); return m && "of " + whole(m); };
const FIELD_ROLE = new Set(["textbox", "searchbox", "combobox", "spinbutton", "slider"]);
const useOf = (e) => {
  const tag = localName(e), out = [], button = is(e, "button"), sends = is(e, "input") && SENDS.has(input.type(e));
  const say = (what, s) => { if (s) out.push(what + " " + whole(s)); };
  if (tag === "a" || tag === "area") say("to", address(e));
  if (button || sends) {
    say("with", [attr(e, "name"), button ? attr(e, "value") : ""].filter(Boolean).join("="));
    say("sends to", target(e));
    say("opens", [attr(e, "popovertarget"), attr(e, "command"), attr(e, "commandfor")].filter(Boolean).join(" "));
  }
  return out.join("; ");
};
// address is where a link leads: from wherever the page is, but within it.
const address = (e) => { const h = attr(e, "href") ?? attr(e, "xlink:href"); return !h || h.startsWith("#") || !isHTML(e) ? h : hrefs[localName(e)](e) || h; };
const SENDS = new Set(["submit", "image"]);
const formOf = { button: getter(typeOf("HTMLButtonElement"), "form"), input: getter(typeOf("HTMLInputElement"), "form") };
// target is what the form of a submitting button sends, and where to.
const target = (e) => {
  const form = formOf[localName(e)](e), type = lower(attr(e, "type"));
  if (!form || is(e, "button") && (type === "button" || type === "reset")) return "";
  return [attr(e, "formmethod") || attr(form, "method"), attr(e, "formaction") || attr(form, "action"), attr(form, "id") || attr(form, "name")].filter(Boolean).join(" ");
};
// leads is the address that a click on e leads to by itself, "" for none.
const hrefs = { a: getter(typeOf("HTMLAnchorElement"), "href"), area: getter(typeOf("HTMLAreaElement"), "href") };
const leads = (e) => {
  for (let n = e, i = 0; n && i < 100; i++, n = flatParent(n)) if (nodeType(n) === 1 && isHTML(n) && hrefs[localName(n)] && has(n, "href")) return hrefs[localName(n)](n) || "";
  return "";
};
// whole is a text that is not too long to show, and of a longer one its
// beginning and a number that is another for another end.
const WHOLE_MAX = 80;
const whole = (s) => {
  if (s.length <= WHOLE_MAX) return s;
  let h = 5381;
  for (let i = WHOLE_MAX; i < s.length; i++) h = (h * 33 ^ s.charCodeAt(i)) >>> 0;
  return s.slice(0, WHOLE_MAX) + "…" + h.toString(36);
};

// askedAround is what the nearest dialog around and including n asks, "" for none.
const DIALOG = "dialog,[role=dialog],[role=alertdialog]";
const askedAround = (n) => {
  for (let i = 0; n && i < 1000; i++, n = flatParent(n)) if (nodeType(n) === 1 && matches(n, DIALOG)) return once("message", n, message);
  return "";
};
// message is the title of a dialog, or its heading. One that has neither asks
// what it says, unless there is something to fill in: then it says what becomes
// of that. The numbers of what is only said may count down.
const message = (d) => nameOf(d) || headingIn(d) || (queryAll(d, "input,textarea,select,[contenteditable]").length ? "" : ownWords(d).replace(/\p{Nd}+/gu, "#"));
const headingIn = (n) => { const h = queryAll(n, "h1,h2,h3,h4,h5,h6,[role=heading]")[0]; return h ? clean((textContent(h) || "").slice(0, 400)) : ""; };
const ownWords = (d) => textOf(d, null, 0, (n) => nodeType(n) === 1 && (CONTROL.has(localName(n)) || WIDGET_ROLE.has(explicitRole(n)))).slice(0, 400);
