// Building the page from nodes. Text is only ever set as text; nothing here parses HTML.

const SVG = "http://www.w3.org/2000/svg";

/**
 * Make an element.
 * @param {string} tag
 * @param {object} props class, id, role, title, hidden and any attribute; `data` for dataset, `on` for listeners.
 * @param {...(Node|string|number|null|undefined|false|Array)} children
 */
export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") listen(node, value);
    else if (name === "data") for (const [key, item] of Object.entries(value)) setData(node, key, item);
    else if (name === "class") node.className = value;
    else if (name === "value") node.value = value;
    else node.setAttribute(name, value === true && !name.startsWith("aria-") ? "" : String(value));
  }
  node.append(...present(children));
  return node;
}

// Listeners by node: one that is kept while what it shows changes gets the listeners of its newer self.
const heard = new WeakMap();

function listen(node, handlers) {
  const before = heard.get(node);
  heard.set(node, handlers);
  for (const type of Object.keys(handlers)) {
    if (!before || !(type in before)) node.addEventListener(type, (event) => heard.get(node)[type]?.(event));
  }
}

function setData(node, key, value) {
  if (value !== null && value !== undefined) node.dataset[key] = String(value);
}

function present(children) {
  return children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
}

/** Replace everything inside a node. */
export function fill(node, ...children) {
  node.replaceChildren(...present(children));
  return node;
}

const keyOf = (node) => node.dataset?.key ?? node.id ?? "";

const SETTLED = ["open", "style"]; // what somebody opened stays open; styles go another way, which the page's policy allows

function takeAttributes(node, fresh) {
  for (const { name } of [...node.attributes]) if (!fresh.hasAttribute(name) && !SETTLED.includes(name)) node.removeAttribute(name);
  for (const { name, value } of fresh.attributes) if (node.getAttribute(name) !== value && !SETTLED.includes(name)) node.setAttribute(name, value);
  if (node.style.cssText !== fresh.style.cssText) node.style.cssText = fresh.style.cssText;
}

function become(node, fresh) {
  if (node.nodeType === Node.TEXT_NODE) {
    if (node.data !== fresh.data) node.data = fresh.data;
    return;
  }
  takeAttributes(node, fresh);
  if (heard.has(fresh) || heard.has(node)) listen(node, { ...heard.get(fresh) });
  patch(node, ...fresh.childNodes);
}

/**
 * Bring what is inside a node in line with new children, keeping the nodes that stay: a click that has begun, a choice,
 * an open menu, the focus, a selection and the scrolling outlive it. Nodes with a key (`data-key` or id) stay with it.
 * What is kept must have its listeners from `on`, and these must not speak of the node they were made with.
 */
export function patch(node, ...children) {
  const left = [...node.childNodes];
  const rows = present(children).map((child) => (child instanceof Node ? child : document.createTextNode(String(child)))).map((fresh) => {
    const at = left.findIndex((old) => old.nodeName === fresh.nodeName && keyOf(old) === keyOf(fresh));
    return { fresh, kept: at < 0 ? null : left.splice(at, 1)[0] };
  });
  for (const old of left) old.remove();
  rows.forEach(({ fresh, kept }, at) => {
    if (kept && kept !== fresh) become(kept, fresh);
    const row = kept ?? fresh;
    if (node.childNodes[at] !== row) node.insertBefore(row, node.childNodes[at] ?? null);
  });
  return node;
}

/** A drawing from the sprite in index.html; decorative unless a label is given. */
export function icon(name, className = "icon") {
  const svg = document.createElementNS(SVG, "svg");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#i-${name}`);
  svg.setAttribute("class", className);
  svg.setAttribute("aria-hidden", "true");
  svg.append(use);
  return svg;
}

/** A round or square picture made of initials; the bot wears the product's mark. */
export function avatar(person, size = "m") {
  if (person?.bot) return el("span", { class: `avatar avatar-${size} avatar-bot`, "aria-hidden": true }, icon("logo", "logo"));
  const node = el("span", { class: `avatar avatar-${size}`, "aria-hidden": true }, person?.initials || "?");
  node.style.setProperty("--who", person?.color || "#7a828a");
  return node;
}

/** Say something to people who listen rather than look. */
export function announce(text) {
  const place = document.getElementById("announcer");
  if (place) place.textContent = text;
}

let serial = 0;
/** An id for label/for and aria-describedby pairs. */
export function freshId(stem) {
  serial += 1;
  return `${stem}-${serial}`;
}
