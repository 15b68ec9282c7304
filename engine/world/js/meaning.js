// Computed meaning: role, name, value, description and states, after the ARIA
// name computation and the HTML mapping specifications. It costs only what it
// is asked for.
const INPUT_ROLE = {
  checkbox: "checkbox", radio: "radio", range: "slider", number: "spinbutton", search: "searchbox", button: "button", submit: "button",
  reset: "button", image: "button", color: "button", file: "button",
};
const TAG_ROLE = {
  nav: "navigation", main: "main", aside: "complementary", form: "form", dialog: "dialog", img: "img", iframe: "iframe", frame: "iframe", button: "button",
  textarea: "textbox", option: "option", summary: "button", ul: "list", ol: "list", menu: "list", li: "listitem", table: "table", tr: "row",
  td: "cell", th: "columnheader", thead: "rowgroup", tbody: "rowgroup", tfoot: "rowgroup", fieldset: "group", details: "group", optgroup: "group",
  article: "article", figure: "figure", p: "paragraph", hr: "separator", progress: "progressbar", meter: "meter", output: "status",
  search: "search", canvas: "canvas", video: "video", audio: "audio", embed: "embed", object: "object", svg: "img", label: "label", area: "link",
  blockquote: "blockquote", code: "code", dt: "term", dd: "definition", address: "group", hgroup: "group", time: "time", caption: "caption",
};
const roleOf = (e) => {
  const r = explicitRole(e);
  const tag = localName(e);
  if (r && r !== "none" && r !== "presentation") return r;
  if (r && !nativeControl(e, tag) && !has(e, "tabindex")) return "generic";
  if (!isHTML(e)) return tag === "svg" ? "img" : tag === "a" && nativeControl(e, tag) ? "link" : "generic";
  if (HEADING.has(tag)) return "heading";
  switch (tag) {
    case "a": return has(e, "href") ? "link" : "generic";
    case "input": {
      const t = input.type(e);
      if (has(e, "list") && ["text", "search", "url", "tel", "email"].includes(t)) return "combobox";
      return INPUT_ROLE[t] || "textbox";
    }
    case "select": return selectMultiple(e) || parseInt(attr(e, "size"), 10) > 1 ? "listbox" : "combobox";
    case "header": return landmarkScope(e) ? "banner" : "generic";
    case "footer": return landmarkScope(e) ? "contentinfo" : "generic";
    case "section": return has(e, "aria-label") || has(e, "aria-labelledby") ? "region" : "generic";
    case "form": return has(e, "aria-label") || has(e, "aria-labelledby") || has(e, "title") ? "form" : "generic";
    case "summary": return nativeControl(e, tag) ? "button" : "generic";
    case "img": return attr(e, "alt") === "" && !has(e, "title") ? "generic" : "img";
    case "label": return stands(e) ? roleOf(labelControl(e)) : "generic";
  }
  if (editableRoot(e)) return "textbox";
  return TAG_ROLE[tag] || "generic";
};

const NAME_MAX = 4000; // characters gathered before the cut at the engine's own limit
const hiddenForName = (e) => {
  const cs = styleOf(e);
  return cs.display === "none" || cs.visibility !== "visible" || lower(attr(e, "aria-hidden")) === "true";
};
// stamped makes names of stamps, see steadyName.
let stamped = false;
// textOf is the name from content: text, images and embedded controls in
// composed order. stop says which elements end a text run.
const textOf = (e, seenSet, depth, stop) => {
  let out = "";
  const add = (s, block) => { out += block ? " " + s + " " : s; };
  const visit = (n, d) => {
    if (out.length > NAME_MAX || d > 200) return;
    const t = nodeType(n);
    if (t === 3) { add(data(n), false); return; }
    if (t !== 1) return;
    const tag = localName(n);
    if (SKIP.has(tag)) { if (tag === "br" || tag === "wbr") add(" ", false); return; }
    if (stop && stop(n)) return;
    if (seenSet && seenSet.has(n)) return;
    const cs = styleOf(n);
    if (cs.display === "none" || cs.visibility === "hidden" || lower(attr(n, "aria-hidden")) === "true") return;
    const block = cs.display !== "inline" && cs.display !== "contents";
    if (tag === "input" || tag === "textarea" || tag === "select") { if (!stop) add(valueForName(n) || attr(n, "aria-label") || "", true); return; }
    const label = attr(n, "aria-label");
    if (label && clean(label)) { add(label, block); return; }
    const stamp = stamped && stampOf(n);
    if (stamp) { add(stamp, block); return; }
    if (tag === "img" || tag === "area") { add(attr(n, "alt") || attr(n, "title") || "", block); return; }
    if (tag === "svg") { add(svgTitle(n), block); return; }
    if (block) add(" ", false);
    add(pseudoText(n, "::before"), false);
    each(n, (c) => visit(c, d + 1));
    add(pseudoText(n, "::after"), false);
    if (block) add(" ", false);
  };
  add(pseudoText(e, "::before"), false);
  each(e, (c) => visit(c, depth));
  add(pseudoText(e, "::after"), false);
  return clean(out);
};
const each = (e, f) => {
  const sr = shadowOf(e);
  if (!sr && is(e, "slot")) {
    const a = assignedNodes(e);
    if (a && a.length) { for (const n of a) f(n); return; }
  }
  for (let c = firstChild(sr || e); c; c = nextSibling(c)) f(c);
};
const pseudoText = (e, which) => {
  const cs = styleOf(e, which);
  const c = cs.content;
  if (!c || c === "none" || c === "normal" || cs.display === "none" || cs.visibility !== "visible") return "";
  const alt = / \/ "((?:[^"\\]|\\.)*)"$/.exec(c), m = alt || /^"((?:[^"\\]|\\.)*)"/.exec(c); // the text after a slash stands for the image
  if (!m) return "";
  const s = m[1].replace(/\\(.)/g, "$1");
  return cs.display === "inline" && !alt ? s : " " + s + " "; // as Chromium's own name sets an image's apart
};
const valueForName = (n) => {
  const r = roleOf(n);
  if (r === "textbox" || r === "searchbox") return secret(n) ? "" : rawValue(n);
  if (r === "combobox" || r === "listbox") return selectedText(n);
  if (r === "slider" || r === "spinbutton") return attr(n, "aria-valuetext") || attr(n, "aria-valuenow") || rawValue(n);
  return "";
};
const selectedText = (n) => {
  if (!is(n, "select")) return "";
  const out = [];
  for (const o of selectOptions(n)) { out.push(clean(attr(o, "label") || textContent(o) || "")); if (out.length > 20) break; }
  return out.join(", ");
};
const rawValue = (n) => (is(n, "textarea") ? textareaValue(n) : is(n, "input") ? input.value(n) : "") || "";

const byIds = (e, name) => {
  const root = rootNode(e);
  if (!root || nodeType(root) !== 9 && nodeType(root) !== 11) return [];
  return (attr(e, name) || "").trim().split(/\s+/).filter(Boolean).slice(0, 20).map((id) => getById(root, id)).filter(Boolean);
};
const nameOf = (e) => namedBy(e)[0];
// namedBy is the name of e and where it comes from.
const namedBy = (e) => {
  const role = roleOf(e), tag = localName(e), html = isHTML(e);
  const refs = byIds(e, "aria-labelledby");
  if (refs.length) {
    const s = clean(refs.map((r) => refText(r, e)).join(" "));
    if (s) return [s, "labelledby"];
  }
  const label = clean(attr(e, "aria-label") || "");
  if (label) return [label, "aria-label"];
  if (html) {
    const s = nativeName(e, tag);
    if (s) return [s, "native"];
  }
  if (tag === "svg") { const s = svgTitle(e); if (s) return [s, "native"]; }
  if (NAME_FROM_CONTENT.has(role) || tag === "summary" || tag === "label" || clickableOnly(e, role)) {
    const s = textOf(e, new Set([e]), 0, null);
    if (s) return [s, "content"];
  }
  const title = clean(attr(e, "title") || "");
  if (title) return [title, "title"];
  if (html && (tag === "input" || tag === "textarea")) {
    const p = clean(attr(e, "placeholder") || attr(e, "aria-placeholder") || "");
    if (p) return [p, "placeholder"];
  }
  return ["", ""];
};
const clickableOnly = (e, role) => role === "generic" && (textContent(e) || "").length <= CARD_MAX && (S.listeners.has(e) || matches(e, "[onclick],[tabindex]") || styleOf(e).cursor === "pointer");
const refText = (r, from) => {
  const l = clean(attr(r, "aria-label") || "");
  if (l) return l;
  const tag = localName(r);
  if (tag === "input" || tag === "textarea" || tag === "select") return valueForName(r) || nativeName(r, tag);
  if (tag === "img") return attr(r, "alt") || "";
  return hiddenForName(r) ? clean(textContent(r) || "") : textOf(r, new Set([from]), 0, null);
};
// labelsOf are the labels of e, in tree order. The browser looks through the
// whole document for those of one control; in a read we look once for all.
const labelsOf = (e) => {
  const own = labelsFn[localName(e)];
  if (!own || !answers) return own && own(e);
  const of = once("labels", rootNode(e), (root) => {
    const all = new Map();
    for (const l of queryAll(root, "label")) {
      const c = isHTML(l) && labelControl(l);
      if (c && all.has(c)) all.get(c).push(l);
      else if (c) all.set(c, [l]);
    }
    return all;
  });
  return of.get(e);
};
const labelText = (e) => {
  const ls = labelsOf(e);
  if (!ls || !ls.length) return "";
  const out = [];
  for (let i = 0; i < ls.length && i < 5; i++) {
    const l = clean(attr(ls[i], "aria-label") || "");
    out.push(l || textOf(ls[i], new Set([e]), 0, (n) => n === e));
  }
  return clean(out.join(" "));
};
const childText = (e, tag) => {
  for (let c = firstChild(e); c; c = nextSibling(c)) if (nodeType(c) === 1 && is(c, tag)) return textOf(c, null, 0, null);
  return "";
};
const nativeName = (e, tag) => {
  switch (tag) {
    case "input": {
      const t = input.type(e);
      if (t === "submit" || t === "button" || t === "reset") {
        const l = labelText(e);
        return l || clean(attr(e, "value") || "") || (t === "submit" ? "Submit" : t === "reset" ? "Reset" : "");
      }
      if (t === "image") return labelText(e) || clean(attr(e, "alt") || attr(e, "value") || attr(e, "title") || "Submit");
      return labelText(e);
    }
    case "textarea": case "select": case "meter": case "progress": case "output": return labelText(e);
    case "button": return ""; // from content
    case "img": case "area": return clean(attr(e, "alt") || "");
    case "fieldset": return childText(e, "legend");
    case "figure": return childText(e, "figcaption");
    case "table": return childText(e, "caption");
    case "optgroup": return clean(attr(e, "label") || "");
    case "iframe": case "frame": return clean(attr(e, "title") || attr(e, "name") || "");
    case "label": { const c = stands(e) && labelControl(e); return c ? clean(attr(c, "aria-label") || "") : ""; }
  }
  return "";
};

// runText is the text of a block: its own text with inline, actionless
// descendants and links; what is a control of its own is left out.
const runText = (e) => textOf(e, null, 0, (n) => {
  if (nodeType(n) !== 1) return false;
  const d = styleOf(n).display;
  if (d !== "inline" && d !== "contents") return true;
  const tag = localName(n);
  return tag !== "a" && acts(n);
});

const SECRET = /(^|\s)(one-time-code|cc-number|cc-csc|cc-exp|cc-exp-month|cc-exp-year|current-password|new-password)(\s|$)/;
const secret = (e) => is(e, "input") && (input.type(e) === "password" || SECRET.test(lower(attr(e, "autocomplete"))));
const valueOf = (e, role) => {
  const tag = localName(e);
  if (secret(e)) return rawValue(e) ? "[redacted]" : "";
  if (tag === "input") {
    const t = input.type(e);
    if (t === "checkbox" || t === "radio" || t === "submit" || t === "button" || t === "reset" || t === "image") return "";
    if (t === "file") { const f = input.files(e); return f && f.length ? f.length + " file" + (f.length > 1 ? "s" : "") : ""; }
    return rawValue(e);
  }
  if (tag === "textarea") return rawValue(e);
  if (tag === "select") return selectedText(e);
  if (tag === "progress" || tag === "meter") return attr(e, "value") || "";
  if (editableRoot(e)) return clean(textContent(e) || "");
  if (role === "slider" || role === "spinbutton" || role === "progressbar" || role === "scrollbar" || role === "meter") return attr(e, "aria-valuetext") || attr(e, "aria-valuenow") || "";
  if (role === "textbox" || role === "searchbox") return clean(textContent(e) || "");
  return "";
};

const CHECKED_ROLE = new Set(["checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"]);
const bool = (v) => (v === "true" ? true : v === "false" ? false : undefined);
const statesOf = (e, role, focus) => {
  const s = {}, tag = localName(e);
  const a = (n) => lower(attr(e, n));
  const target = tag === "label" && stands(e) ? labelControl(e) : e;
  if (is(target, "input")) {
    const t = input.type(target);
    if (t === "checkbox" || t === "radio") s.checked = input.indeterminate(target) ? "mixed" : String(!!input.checked(target));
  }
  if (!s.checked && ["true", "false", "mixed"].includes(a("aria-checked")) && role !== "button") s.checked = a("aria-checked");
  if (!s.checked && CHECKED_ROLE.has(role)) s.checked = "false"; // what ARIA makes of the missing attribute
  if (["true", "false", "mixed"].includes(a("aria-pressed"))) s.pressed = a("aria-pressed");
  let x = bool(a("aria-expanded"));
  if (tag === "summary") { const p = parentNode(e); if (p && is(p, "details")) x = has(p, "open"); }
  const opens = x === undefined && is(e, "button") && !matches(e, ":disabled") ? attr(e, "popovertarget") ?? (/^(toggle|show|hide)-popover$/i.test(attr(e, "command") || "") ? attr(e, "commandfor") : null) : null;
  if (opens !== null) { const p = getById(rootNode(e), opens); if (p && has(p, "popover")) x = matches(p, ":popover-open"); }
  if (x !== undefined) s.expanded = x;
  const sel = bool(a("aria-selected"));
  if (sel !== undefined) s.selected = sel;
  if (disabledWhy(target)) s.disabled = true;
  if (e === focus && tag !== "body" && tag !== "html") s.focused = true;
  if (matches(e, "input,textarea,select") && has(e, "required") || a("aria-required") === "true") s.required = true;
  if (matches(e, "input,textarea") && has(e, "readonly") || a("aria-readonly") === "true") s.readonly = true;
  const inv = a("aria-invalid");
  if (inv && inv !== "false") s.invalid = inv === "grammar" || inv === "spelling" ? inv : "true";
  if (a("aria-modal") === "true" || matches(e, ":modal")) s.modal = true;
  if (role === "textbox" && (tag === "textarea" || a("aria-multiline") === "true" || editableRoot(e) && tag !== "input")) s.multiline = true;
  if (a("aria-busy") === "true") s.busy = true;
  const lv = parseInt(attr(e, "aria-level"), 10);
  if (role === "heading") s.level = lv > 0 ? lv : HEADING.has(tag) ? +tag[1] : 2;
  else if (lv > 0) s.level = lv;
  const pop = a("aria-haspopup");
  if (pop && pop !== "false") s.haspopup = pop === "true" ? "menu" : pop.slice(0, 20);
  const cur = a("aria-current");
  if (cur && cur !== "false") s.current = cur.slice(0, 20);
  return s;
};
const descriptionOf = (e, name) => {
  const d = byIds(e, "aria-describedby");
  let s = d.length ? clean(d.map((r) => clean(textContent(r) || "")).join(" ")) : clean(attr(e, "aria-description") || "");
  if (!s) { const t = clean(attr(e, "title") || ""); if (t && t !== name) s = t; }
  return s;
};
// bound cuts a string on a code point and says how much was left out.
const bound = (s, max) => {
  const w = s.isWellFormed ? (s.isWellFormed() ? s : s.toWellFormed()) : s.replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(^|[^\uD800-\uDBFF])[\uDC00-\uDFFF]/g, "$1\uFFFD");
  if (w.length <= max) return w;
  let end = max;
  if (/[\uD800-\uDBFF]/.test(w[end - 1])) end--;
  return w.slice(0, end) + "… [+" + (w.length - end) + " characters]";
};
