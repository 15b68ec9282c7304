// What a node is, before any meaning: the tables and predicates that decide
// whether an element is a candidate and what evidence of action it has.
const SKIP = new Set(["script", "style", "template", "noscript", "head", "meta", "link", "title", "base", "source", "track",
  "param", "datalist", "col", "colgroup", "wbr", "br", "defs", "desc", "metadata", "clippath", "mask", "lineargradient", "radialgradient", "symbol", "filter", "rp"]);
const CONTROL = new Set(["a", "button", "input", "select", "textarea", "option", "summary", "area"]);
const HEADING = new Set(["h1", "h2", "h3", "h4", "h5", "h6"]);
const NATIVE = new Set(["nav", "main", "aside", "form", "dialog", "img", "iframe", "frame", "canvas", "video", "audio", "embed", "object",
  "svg", "progress", "meter", "output", "search"]);
const LANDMARK = new Set(["banner", "complementary", "contentinfo", "form", "main", "navigation", "region", "search", "dialog", "alertdialog"]);
const CLICK_ROLE = new Set(["button", "link", "checkbox", "radio", "switch", "tab", "menuitem", "menuitemcheckbox", "menuitemradio",
  "option", "treeitem", "combobox", "gridcell"]);
const WIDGET_ROLE = new Set([...CLICK_ROLE, "textbox", "searchbox", "slider", "spinbutton", "listbox", "scrollbar"]);
// Roles that take their name from their content, so that text inside folds into them.
const NAME_FROM_CONTENT = new Set(["button", "link", "checkbox", "radio", "switch", "tab", "menuitem", "menuitemcheckbox", "menuitemradio",
  "option", "treeitem", "heading", "tooltip", "cell", "gridcell", "columnheader", "rowheader", "summary"]);
// Structural roles that are shown for context but are no candidates by themselves.
const STRUCTURE = new Set(["list", "listitem", "table", "grid", "treegrid", "row", "rowgroup", "cell", "columnheader", "rowheader", "group",
  "radiogroup", "tablist", "tabpanel", "menu", "menubar", "toolbar", "tree", "listbox", "article", "figure", "definition", "term", "feed", "status", "alert", "log"]);
const ALL_ROLES = new Set([...WIDGET_ROLE, ...LANDMARK, ...NAME_FROM_CONTENT, ...STRUCTURE, "img", "image", "figure", "separator", "progressbar", "meter",
  "timer", "marquee", "math", "note", "presentation", "none", "generic", "paragraph", "blockquote", "code", "document", "application",
  "deletion", "insertion", "emphasis", "strong", "subscript", "superscript", "time", "directory", "caption", "heading", "tooltip"]);
const MARKED = "[role],[tabindex],[onclick],[onmousedown],[onpointerdown],[contenteditable],[aria-hidden],[inert],[hidden],[popover],[aria-label],[aria-labelledby],[aria-modal],[title]";

const explicitRole = (e) => {
  for (const t of tokens(attr(e, "role"))) {
    if (ALL_ROLES.has(t)) return t === "image" ? "img" : t;
  }
  return "";
};

// Evidence bits: why an element is believed to take an action.
const EV = { native: 1, role: 2, listener: 4, handler: 8, tabindex: 16, editable: 32, cursor: 64, label: 128, scroll: 256 };

// native says whether an element acts by its own tag.
const nativeControl = (e, tag) => {
  switch (tag) {
    case "a": case "area": return has(e, "href") || has(e, "xlink:href");
    case "input": return lower(attr(e, "type")) !== "hidden";
    case "summary": { const p = parentNode(e); return !!p && nodeType(p) === 1 && is(p, "details") && firstSummary(p) === e; }
    case "button": case "select": case "textarea": return true;
  }
  return false;
};

// disabledWhy says why a control takes no action, or "".
const disabledWhy = (e) => {
  if (matches(e, ":disabled")) return "disabled";
  for (let n = e, i = 0; n && i < 10000; i++, n = flatParent(n)) {
    if (nodeType(n) !== 1) continue;
    if (lower(attr(n, "aria-disabled")) === "true") return n === e ? "aria-disabled" : "aria-disabled ancestor";
  }
  return "";
};

// rowKey is what tells one row of a recycled list from another: the nearest
// ancestor's declared key, or its text where it is a row.
const ROW = "li,tr,[role=row],[role=listitem],[role=option],[role=treeitem],[role=article],article,[data-key],[data-id],[data-index],[data-row],[data-row-key],[aria-rowindex],[aria-posinset]";
const KEYS = ["data-key", "data-id", "data-row-key", "data-row", "data-index", "aria-rowindex", "aria-posinset", "id"];
const rowKey = (e) => {
  for (let n = e, i = 0; n && i < 40; i++, n = flatParent(n)) {
    if (nodeType(n) !== 1 || !matches(n, ROW)) continue;
    let key = "";
    for (const k of KEYS) if (has(n, k)) key += k + "=" + whole(attr(n, k)) + ";";
    return key + rowText(n);
  }
  return twinKey(e);
};
const rowText = (n) => clean(steadyText(n).slice(0, 400)).slice(0, 200);
const byTag = method(Element, "getElementsByTagName");
// INSTANT is a time to the second, as the datetime of a time element gives it.
const INSTANT = /^\s*\d{4,}-\d\d-\d\d[T ]\d\d:\d\d:\d\d/;
// stampOf stands for the words of a time element that names its instant. Two
// rows of one instant show the same words at any moment, so that their numbers,
// which a page may count on every second, tell nothing that the instant does
// not. "" for every other element: its words are all that is known of it.
const stampOf = (e) => {
  if (!is(e, "time")) return "";
  const t = attr(e, "datetime") || "";
  return INSTANT.test(t) ? clean((textContent(e) || "").slice(0, 200)).replace(/\p{Nd}+/gu, "#") + "@" + clean(t.slice(0, 60)) : "";
};
// steadyText is the text of n with a stamp for each time that has one.
const steadyText = (n) => {
  if (!byTag(n, "time").length) return textContent(n) || "";
  let out = "";
  const visit = (c, d) => {
    if (out.length > 1000 || d > 200) return;
    const stamp = nodeType(c) === 1 ? stampOf(c) : "";
    if (nodeType(c) === 3) out += data(c);
    else if (stamp) out += stamp;
    else if (nodeType(c) === 1) for (let x = firstChild(c); x; x = nextSibling(x)) visit(x, d + 1);
  };
  visit(n, 0);
  return out;
};
const besides = [getter(Element, "previousElementSibling"), getter(Element, "nextElementSibling")];
const controlText = (e) => clean((attr(e, "aria-label") || textContent(e) || attr(e, "value") || attr(e, "title") || "").slice(0, 200));
// twinKey is the row of a list that is not marked up as one: the nearest
// element beside which another holds the same control, so that the control's
// own name does not say whose it is.
const twinKey = (e) => {
  const tag = localName(e), label = controlText(e);
  for (let n = flatParent(e), i = 0; n && i < 8; i++, n = flatParent(n)) {
    if (nodeType(n) !== 1) continue;
    if (is(n, "body") || is(n, "html")) break;
    for (const beside of besides) {
      const s = beside(n);
      if (!s || localName(s) !== localName(n)) continue;
      const all = byTag(s, tag);
      for (let j = 0; j < 4 && all[j]; j++) if (controlText(all[j]) === label) return rowText(n);
    }
  }
  return "";
};
