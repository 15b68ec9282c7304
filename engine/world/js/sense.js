// What a control is for, beyond its role and name: a node that a page uses
// again for something else may keep both.

// keyOf tells one use of a node from another: the row that it is in, and its
// sense. A ref is good for the key that it was made for, and no other.
const keyOf = (e) => [rowKey(e), ...senseOf(e)].filter(Boolean).join("; ");
// senseOf says where e leads or sends to and with what, how it is described,
// and of what dialog or titled part it is a control. A description that only
// comes up while a control is pointed at is none, and nor is one of a field,
// which speaks of what is in it.
const DESCRIBED = new Set(["button", "link", "menuitem", "tab"]);
const senseOf = (e) => {
  const tag = localName(e), out = [], role = roleOf(e);
  const say = (what, s) => { if (s) out.push(what + " " + whole(s)); };
  if (tag === "a" || tag === "area") say("to", attr(e, "href") ?? attr(e, "xlink:href"));
  if (is(e, "button")) say("with", [attr(e, "name"), attr(e, "value")].filter(Boolean).join("="));
  if (is(e, "button") || is(e, "input") && SENDS.has(input.type(e))) say("sends to", target(e));
  if (DESCRIBED.has(role)) say("about", clean(byIds(e, "aria-describedby").filter((d) => explicitRole(d) !== "tooltip").map((d) => textContent(d) || "").join(" ") || attr(e, "aria-description") || ""));
  say("of", once("titled", flatParent(e), titled));
  return out;
};
const SENDS = new Set(["submit", "image"]);
const formOf = { button: getter(typeOf("HTMLButtonElement"), "form"), input: getter(typeOf("HTMLInputElement"), "form") };
// target is what the form of a submitting button sends, and where to.
const target = (e) => {
  const form = formOf[localName(e)](e), type = lower(attr(e, "type"));
  if (!form || is(e, "button") && (type === "button" || type === "reset")) return "";
  return [attr(e, "formmethod") || attr(form, "method") || "", attr(e, "formaction") || attr(form, "action") || ""].filter(Boolean).join(" ");
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

// titled is the title of the nearest dialog, or part with a title, around and
// including n. The numbers in the title of a part are no part of its sense: a
// cart that counts what is in it stays that cart.
const PART = "article,section,aside,form,fieldset,[role=region],[role=group],[role=form],[role=article],[role=tabpanel]";
const DIALOG = "dialog,[role=dialog],[role=alertdialog]";
const titled = (n) => {
  for (let i = 0; n && i < 100; i++, n = flatParent(n)) {
    if (nodeType(n) !== 1) continue;
    if (matches(n, DIALOG)) return once("message", n, message);
    const title = matches(n, PART) ? once("title", n, partTitle) : "";
    if (title) return title;
  }
  return "";
};
const partTitle = (n) => numberless(nameOf(n) || headingIn(n));
const headingIn = (n) => { const h = queryAll(n, "h1,h2,h3,h4,h5,h6,[role=heading],legend")[0]; return h ? clean((textContent(h) || "").slice(0, 400)) : ""; };
// message is what a dialog asks: its title or heading, and its description;
// one that has none of them asks what it says. Numbers count in a title only:
// what a dialog says may count down.
const message = (d) => {
  const title = nameOf(d) || headingIn(d);
  const said = clean(byIds(d, "aria-describedby").map((x) => textContent(x) || "").join(" ").slice(0, 1000)) || (title ? "" : ownWords(d).slice(0, 400));
  return [title, numberless(said)].filter(Boolean).join(" ");
};
const ownWords = (d) => textOf(d, null, 0, (n) => nodeType(n) === 1 && (CONTROL.has(localName(n)) || WIDGET_ROLE.has(explicitRole(n))));
const numberless = (s) => s.replace(/\p{Nd}+/gu, "#");
