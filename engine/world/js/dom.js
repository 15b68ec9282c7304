// Every DOM member is taken from its prototype once and called with the node:
// named form controls and document members shadow the instance's own (a form
// with a control named "children"), in an isolated world too.
const desc = Object.getOwnPropertyDescriptor;
const getter = (type, name) => {
  const d = type && desc(type.prototype, name);
  return d && d.get ? (o) => d.get.call(o) : () => undefined;
};
const method = (type, name) => {
  const f = type && type.prototype[name];
  return f ? (o, ...a) => f.apply(o, a) : () => undefined;
};
const G = globalThis;
const typeOf = (n) => G[n];

const parentNode = getter(Node, "parentNode");
const firstChild = getter(Node, "firstChild");
const nextSibling = getter(Node, "nextSibling");
const previousSibling = getter(Node, "previousSibling");
const nodeType = getter(Node, "nodeType");
const textContent = getter(Node, "textContent");
const connected = getter(Node, "isConnected");
const ownerDocument = getter(Node, "ownerDocument");
// isConnected: in this document. A node that a page has moved to another one has
// left it, with all that is known of it here.
const isConnected = (n) => connected(n) && (ownerDocument(n) || n) === document;
const data = getter(CharacterData, "data");
const localName = getter(Element, "localName");
const namespaceURI = getter(Element, "namespaceURI");
const openRoot = getter(Element, "shadowRoot");
const openSlot = getter(Element, "assignedSlot");
const openTextSlot = getter(typeOf("Text"), "assignedSlot");
const hostOf = getter(typeOf("ShadowRoot"), "host");
const rootNode = method(Node, "getRootNode");
const contains = method(Node, "contains");
const assignedNodes = method(typeOf("HTMLSlotElement"), "assignedNodes");
const clientWidth = getter(Element, "clientWidth");
const clientHeight = getter(Element, "clientHeight");
const clientLeft = getter(Element, "clientLeft");
const clientTop = getter(Element, "clientTop");
const scrollWidth = getter(Element, "scrollWidth");
const scrollHeight = getter(Element, "scrollHeight");
const scrollLeft = getter(Element, "scrollLeft");
const scrollTop = getter(Element, "scrollTop");
// offset sizes are HTML's alone: an SVG or MathML element has none, and its
// getter would throw; a type test would fail for a node adopted from a frame.
const offset = (name) => { const g = getter(HTMLElement, name); return (e) => { try { return g(e); } catch { return 0; } }; };
const offsetWidth = offset("offsetWidth"), offsetHeight = offset("offsetHeight");

const attrFn = Element.prototype.getAttribute;
const attr = (e, n) => attrFn.call(e, n);
const hasFn = Element.prototype.hasAttribute;
const has = (e, n) => hasFn.call(e, n);
const hasAnyFn = Element.prototype.hasAttributes;
const hasAttributes = (e) => hasAnyFn.call(e);
const matchesFn = Element.prototype.matches;
const matches = (e, s) => { try { return matchesFn.call(e, s); } catch { return false; } };
const boxFn = Element.prototype.getBoundingClientRect;
const boxOf = (e) => boxFn.call(e);
const rectsFn = Element.prototype.getClientRects;
const rectsOf = (e) => rectsFn.call(e);
const styleOf = (e, pseudo) => getComputedStyle(e, pseudo);

const documentElement = getter(Document, "documentElement");
const bodyOf = getter(Document, "body");
const activeElement = getter(Document, "activeElement");
const rootActive = getter(typeOf("ShadowRoot"), "activeElement");
const readyState = getter(Document, "readyState");
const visibilityState = getter(Document, "visibilityState");
const titleOf = getter(Document, "title");
const urlOf = getter(Document, "URL");
const pointFn = Document.prototype.elementFromPoint;
const stackFn = Document.prototype.elementsFromPoint;
const rootPointFn = G.ShadowRoot && ShadowRoot.prototype.elementFromPoint;
const getById = (root, id) => {
  const f = nodeType(root) === 9 ? Document.prototype.getElementById : DocumentFragment.prototype.getElementById;
  return f.call(root, id);
};
const queryAll = (root, sel) => {
  const f = nodeType(root) === 9 ? Document.prototype.querySelectorAll
    : nodeType(root) === 11 ? DocumentFragment.prototype.querySelectorAll : Element.prototype.querySelectorAll;
  return f.call(root, sel);
};

const htmlNS = "http://www.w3.org/1999/xhtml";
const lower = (s) => (s || "").toLowerCase();
// roleAttr is the first token of the role attribute that is an ARIA role we know.
const tokens = (s) => (s || "").trim().toLowerCase().split(/\s+/).filter(Boolean);

// Native form state, through the type that owns it.
const input = {
  type: getter(typeOf("HTMLInputElement"), "type"),
  value: getter(typeOf("HTMLInputElement"), "value"),
  checked: getter(typeOf("HTMLInputElement"), "checked"),
  indeterminate: getter(typeOf("HTMLInputElement"), "indeterminate"),
  labels: getter(typeOf("HTMLInputElement"), "labels"),
  files: getter(typeOf("HTMLInputElement"), "files"),
};
const labelsFn = {
  input: input.labels,
  textarea: getter(typeOf("HTMLTextAreaElement"), "labels"),
  select: getter(typeOf("HTMLSelectElement"), "labels"),
  button: getter(typeOf("HTMLButtonElement"), "labels"),
  output: getter(typeOf("HTMLOutputElement"), "labels"),
  meter: getter(typeOf("HTMLMeterElement"), "labels"),
  progress: getter(typeOf("HTMLProgressElement"), "labels"),
};
const textareaValue = getter(typeOf("HTMLTextAreaElement"), "value");
const selectOptions = getter(typeOf("HTMLSelectElement"), "selectedOptions");
const selectMultiple = getter(typeOf("HTMLSelectElement"), "multiple");
const labelControl = getter(typeOf("HTMLLabelElement"), "control");
const isHTML = (e) => namespaceURI(e) === htmlNS;
const is = (e, tag) => localName(e) === tag && isHTML(e);

// Closed shadow trees are handed in by the engine, host by host; slotted holds
// which slot of a closed tree a light node is in, which the node does not say.
const closedRoots = new WeakMap(), slotted = new WeakMap();
const shadowOf = (e) => openRoot(e) || closedRoots.get(e) || null;
const slotOf = (e) => openSlot(e) || slotted.get(e) || null;
const textSlotOf = (t) => openTextSlot(t) || slotted.get(t) || null;
const learnSlots = (root) => {
  for (const s of queryAll(root, "slot")) for (const n of assignedNodes(s) || []) slotted.set(n, s);
};

// flatParent is the parent in the composed tree: slot, host or parent.
const flatParent = (n) => {
  const s = nodeType(n) === 1 ? slotOf(n) : nodeType(n) === 3 ? textSlotOf(n) : null;
  if (s) return s;
  const p = parentNode(n);
  if (!p) return null;
  return nodeType(p) === 11 ? hostOf(p) || null : p;
};
// once answers what is asked again and again of one key. It keeps answers only
// while one read runs, in which nothing changes.
let answers = null;
const once = (what, key, f) => {
  if (!answers) return f(key);
  let of = answers.get(what);
  if (!of) answers.set(what, of = new Map());
  let v = of.get(key);
  if (v === undefined) of.set(key, v = f(key));
  return v;
};
// inside says whether n is e or below e in the composed tree.
const inside = (n, e) => {
  for (let i = 0; n && i < 10000; i++, n = flatParent(n)) if (n === e) return true;
  return false;
};
const firstSummary = (details) => {
  for (let c = firstChild(details); c; c = nextSibling(c)) {
    if (nodeType(c) === 1 && is(c, "summary")) return c;
  }
  return null;
};
const EDITABLE = new Set(["", "true", "plaintext-only"]);
const editableRoot = (e) => { const v = attr(e, "contenteditable"); return v !== null && EDITABLE.has(v.trim().toLowerCase()); };
// deepActive is the focused element, down through open shadow roots.
const deepActive = () => {
  let a = activeElement(document);
  for (let i = 0; a && i < 100; i++) {
    const r = shadowOf(a);
    const b = r && rootActive(r);
    if (!b) break;
    a = b;
  }
  return a;
};
const clean = (s) => s
  .replace(/[\uE000-\uF8FF]|[\uDB80-\uDBFF][\uDC00-\uDFFF]/g, " ") // icon fonts: every private-use plane
  .replace(/[\u0000-\u0008\u000E-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069\u200E\u200F\u061C]/g, "") // controls, bidi controls
  .replace(/[\s\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF\u200B\u2060]+/g, " ")
  .trim();
