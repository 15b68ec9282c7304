// Typing and choosing: what can be typed into, the caret, and the read-back.
const setters = {
  input: desc(HTMLInputElement.prototype, "value").set,
  textarea: desc(HTMLTextAreaElement.prototype, "value").set,
};
const selectFn = { input: HTMLInputElement.prototype.select, textarea: HTMLTextAreaElement.prototype.select };
const rangeFn = { input: HTMLInputElement.prototype.setSelectionRange, textarea: HTMLTextAreaElement.prototype.setSelectionRange };
const startOf = { input: getter(HTMLInputElement, "selectionStart"), textarea: getter(HTMLTextAreaElement, "selectionStart") };
const endOf = { input: getter(HTMLInputElement, "selectionEnd"), textarea: getter(HTMLTextAreaElement, "selectionEnd") };
const innerText = getter(HTMLElement, "innerText");
// FREE are the inputs into which a text is typed as it stands; SET those whose
// parts depend on the language of the browser, so that a value is set whole.
const FREE = new Set(["text", "search", "url", "tel", "email", "password", "number"]);
const SET = new Set(["date", "time", "datetime-local", "month", "week", "color", "range"]);
// NEVER_READONLY: the attribute says nothing of these, and :read-only always matches them.
const NEVER_READONLY = new Set(["color", "range"]);

const fieldOf = (e) => {
  const tag = localName(e);
  if (tag === "textarea" && isHTML(e)) return "textarea";
  if (tag === "input" && isHTML(e)) { const t = input.type(e); return FREE.has(t) ? "input" : SET.has(t) ? "set" : ""; }
  return editableRoot(e) ? "rich" : "";
};
const contentOf = (e, kind) => (kind === "rich" ? (innerText(e) || "").replace(/\u00A0/g, " ").replace(/\n$/, "") : rawValue(e));
const docSelection = (e) => { const r = rootNode(e); return r && r.getSelection ? r.getSelection() : getSelection(); };

Object.assign(ops, {
  // field says what typing into e would mean, and what it holds now.
  field: (o) => {
    const e = byLocal(o.k);
    if (!e || !isConnected(e)) return { gone: true };
    const kind = fieldOf(e), max = parseInt(attr(e, "maxlength"), 10);
    return {
      kind, type: is(e, "input") ? input.type(e) : "", readonly: !!kind && kind !== "rich" && !(is(e, "input") && NEVER_READONLY.has(input.type(e))) && matches(e, ":read-only") || lower(attr(e, "aria-readonly")) === "true",
      value: kind ? contentOf(e, kind) : "", max: max >= 0 ? max : -1, secret: secret(e),
    };
  },
  // caret puts the caret at the end, or selects everything; held says whether
  // the page let it stand.
  caret: (o) => {
    const e = byLocal(o.k);
    if (!e || !isConnected(e)) return { gone: true };
    if (deepActive() !== e) return { held: false };
    const kind = fieldOf(e), value = contentOf(e, kind);
    if (kind === "rich") {
      const sel = docSelection(e), r = document.createRange();
      r.selectNodeContents(e);
      if (!o.all) r.collapse(false);
      sel.removeAllRanges();
      sel.addRange(r);
      return { value, held: sel.rangeCount > 0 && inside(sel.anchorNode, e) && (!o.all || !contentOf(e, kind) || !sel.isCollapsed) };
    }
    const tag = localName(e), n = value.length;
    if (o.all) selectFn[tag].call(e);
    if (startOf[tag](e) === null) return { held: true, whole: true, value }; // number and email have no selection to read; select() stands
    if (!o.all) rangeFn[tag].call(e, n, n);
    return { value, held: startOf[tag](e) === (o.all ? 0 : n) && endOf[tag](e) === n };
  },
  // content reads e back.
  content: (o) => {
    const e = byLocal(o.k);
    if (!e || !isConnected(e)) return { gone: true };
    const read = () => (isConnected(e) ? { value: contentOf(e, fieldOf(e)), focused: deepActive() === e, watched: watched() } : { gone: true });
    return o.restMS ? new Promise((ok) => setTimeout(() => ok(read()), o.restMS)) : read();
  },
  // put sets the whole value of a field that is not typed into, as its picker does.
  put: (o) => {
    const e = byLocal(o.k);
    if (!e || !isConnected(e)) return { gone: true };
    const changed = differs(e, o, true);
    if (changed) return { changed };
    setters.input.call(e, o.text);
    EventTarget.prototype.dispatchEvent.call(e, new Event("input", { bubbles: true, composed: true }));
    EventTarget.prototype.dispatchEvent.call(e, new Event("change", { bubbles: true }));
    return { value: rawValue(e) };
  },
  // options lists what a select offers.
  options: (o) => {
    const e = byLocal(o.k);
    if (!e || !isConnected(e)) return { gone: true };
    return { multiple: !!selectMultiple(e), watched: watched(), options: optionsOf(e).map(optionRow) };
  },
  // choose selects exactly the options at the indices.
  choose: (o) => {
    const e = byLocal(o.k);
    if (!e || !isConnected(e)) return { gone: true };
    const changed = differs(e, o, true);
    if (changed) return { changed };
    if (o.indices.some((i, n) => !optionsOf(e)[i] || optValue(optionsOf(e)[i]) !== o.values[n] || matches(optionsOf(e)[i], ":disabled") || unlisted(optionsOf(e)[i]))) return { changed: "identity" };
    const all = optionsOf(e), want = new Set(o.indices), before = all.map((x) => optSelected(x));
    all.forEach((x, i) => { if (selectMultiple(e) || want.has(i)) setSelected.call(x, want.has(i)); });
    if (all.some((x, i) => optSelected(x) !== before[i])) {
      EventTarget.prototype.dispatchEvent.call(e, new Event("input", { bubbles: true, composed: true }));
      EventTarget.prototype.dispatchEvent.call(e, new Event("change", { bubbles: true }));
    }
    return { selected: all.map((x, i) => (optSelected(x) ? i : -1)).filter((i) => i >= 0) };
  },
});
const optionsOf = (e) => [...queryAll(e, "option")];
const optSelected = getter(HTMLOptionElement, "selected");
const setSelected = desc(HTMLOptionElement.prototype, "selected").set;
const optValue = getter(HTMLOptionElement, "value");
const optText = getter(HTMLOptionElement, "text");
// unlisted: the list of a select has no row for what is not displayed.
const unlisted = (x) => { for (let n = x; n && !is(n, "select"); n = parentNode(n)) if (styleOf(n).display === "none") return true; return false; };
const optionRow = (x) => ({ label: clean(attr(x, "label") || optText(x) || ""), value: optValue(x), disabled: matches(x, ":disabled"), unlisted: unlisted(x), selected: !!optSelected(x) });

// gestures are the synthetic ones.
const fire = (e, type, more) => {
  const b = boxOf(e), Type = type.startsWith("pointer") ? PointerEvent : MouseEvent;
  EventTarget.prototype.dispatchEvent.call(e, new Type(type, { bubbles: true, cancelable: true, composed: true, view: window, clientX: b.left + b.width / 2, clientY: b.top + b.height / 2, ...more }));
};
Object.assign(ops, {
  gesture: (o) => {
    const e = byLocal(o.k);
    if (!e || !isConnected(e)) return { gone: true };
    const changed = differs(e, o, true);
    if (changed) return { changed };
    if (o.gesture === "right_click") {
      for (const t of ["pointerdown", "mousedown"]) fire(e, t, { button: 2, buttons: 2 });
      for (const t of ["pointerup", "mouseup", "contextmenu"]) fire(e, t, { button: 2 });
      return { ok: true };
    }
    press(e);
    press(e);
    fire(e, "dblclick", { detail: 2 });
    return { ok: true };
  },
  // extent says where a scroller stands; with settle, once it has come to rest.
  extent: (o) => {
    const read = () => {
      const e = byLocal(o.k);
      if (!e || !isConnected(e)) return { gone: true };
      return { x: scrollLeft(e), y: scrollTop(e), maxX: scrollWidth(e) - clientWidth(e), maxY: scrollHeight(e) - clientHeight(e) };
    };
    if (!o.settle) return read();
    return new Promise((ok) => {
      let last = read(), left = 20;
      const turn = () => {
        const now = read();
        if (now.gone || now.x === last.x && now.y === last.y || --left <= 0) { ok(now); return; }
        last = now;
        setTimeout(turn, 50);
      };
      setTimeout(turn, 50);
    });
  },
});
