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
    if (name === "on") for (const [type, handler] of Object.entries(value)) node.addEventListener(type, handler);
    else if (name === "data") for (const [key, item] of Object.entries(value)) setData(node, key, item);
    else if (name === "class") node.className = value;
    else if (name === "value") node.value = value;
    else node.setAttribute(name, value === true && !name.startsWith("aria-") ? "" : String(value));
  }
  node.append(...present(children));
  return node;
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
