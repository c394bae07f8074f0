// Files of the person: uploading them, waiting to be sent, put into a form; and how shared ones look.

import { el, fill, icon } from "./dom.js";
import { api, Refused } from "./api.js";

const MEASURED = 3000; // ms that a file may take to say how long it plays

/** How long sound or video plays, in milliseconds; null when the browser cannot tell. */
function playingTime(file) {
  const kind = /^(audio|video)\//.exec(file.type)?.[1];
  if (!kind) return Promise.resolve(null);
  return new Promise((resolve) => {
    const media = document.createElement(kind);
    const url = URL.createObjectURL(file);
    const done = () => {
      clearTimeout(patience);
      const seconds = media.duration;
      media.removeAttribute("src");
      URL.revokeObjectURL(url);
      resolve(Number.isFinite(seconds) && seconds > 0 ? Math.round(seconds * 1000) : null);
    };
    const patience = setTimeout(done, MEASURED);
    media.preload = "metadata";
    media.addEventListener("loadedmetadata", done, { once: true });
    media.addEventListener("error", done, { once: true });
    media.src = url;
  });
}

/** Send the bytes of a file to the workspace, where nobody sees it yet. */
export async function upload(file, person) {
  return api.upload(file, await playingTime(file), person);
}

/** A short word for what a file is. */
const ending = (name) => (name.includes(".") ? name.split(".").pop() : "file").slice(0, 4);

function chip(entry, remove) {
  return el("span", { class: entry.error ? "pending pending-bad" : "pending", "data-testid": "pending-file", data: { state: entry.id ? "ready" : entry.error ? "bad" : "busy" } },
    el("span", { class: "file-kind", "aria-hidden": true }, ending(entry.name)),
    el("span", { class: "pending-name" }, entry.name),
    el("span", { class: "file-size", role: "status" }, entry.error || (entry.id ? entry.size : "uploading…")),
    el("button", { type: "button", class: "pending-off", "aria-label": `Remove ${entry.name}`, on: { click: remove } }, icon("close")));
}

/** Files that wait: shown as chips, uploaded at once, taken when they are sent. */
export class Pending {
  #entries = [];

  constructor({ onChange = () => {}, most = 10 } = {}) {
    this.most = most;
    this.onChange = onChange;
    this.node = el("div", { class: "pendings", hidden: true });
  }

  /** Ids and names of what is uploaded. */
  get ready() {
    return this.#entries.filter((entry) => entry.id);
  }

  get size() {
    return this.#entries.length;
  }

  get busy() {
    return this.#entries.some((entry) => !entry.id && !entry.error);
  }

  /** Put back what was entered before. */
  restore(entries) {
    this.#entries = entries.map(({ id, name, size }) => ({ id, name: name ?? id, size: typeof size === "string" ? size : "" }));
    this.#draw();
  }

  add(files, person) {
    const room = this.most - this.#entries.length;
    for (const file of [...files].slice(0, Math.max(room, 0))) this.#upload(file, person);
    return files.length <= room;
  }

  replace(files, person) {
    this.#entries = [];
    return this.add(files, person);
  }

  clear() {
    this.#entries = [];
    this.#draw();
  }

  async #upload(file, person) {
    const entry = { name: file.name, size: "", id: null, error: "" };
    this.#entries.push(entry);
    this.#draw();
    try {
      Object.assign(entry, await upload(file, person));
    } catch (problem) {
      if (!(problem instanceof Refused)) throw problem;
      entry.error = problem.message;
    }
    this.#draw();
  }

  #draw() {
    this.node.hidden = !this.#entries.length;
    fill(this.node, this.#entries.map((entry) => chip(entry, () => {
      this.#entries = this.#entries.filter((one) => one !== entry);
      this.#draw();
    })));
    this.onChange();
  }
}

/** A button that lets one choose files. */
export function chooser({ label, testid, accept = null, multiple = true, className = "button-bare", look, pick }) {
  const input = el("input", { type: "file", class: "visually-hidden", tabindex: "-1", "aria-hidden": true, multiple, accept, "data-testid": `${testid}-input` });
  input.addEventListener("change", () => {
    if (input.files.length) pick([...input.files]);
    input.value = "";
  });
  const button = el("button", { type: "button", class: className, "aria-label": label, title: label, "data-testid": testid, on: { click: () => input.click() } }, look);
  return { button, input };
}

const carriesFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");

/** Let files be dropped anywhere on a pane. */
export function dropZone(pane, words, take) {
  const veil = el("div", { class: "drop-veil", "aria-hidden": true, "data-testid": "drop-zone", hidden: true }, el("div", { class: "drop-words" }, icon("clip"), words));
  let depth = 0;
  const show = (on) => {
    veil.hidden = !on;
    if (!on) depth = 0;
  };
  pane.append(veil);
  pane.addEventListener("dragenter", (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    depth += 1;
    show(true);
  });
  pane.addEventListener("dragover", (event) => carriesFiles(event) && event.preventDefault());
  pane.addEventListener("dragleave", () => {
    depth -= 1;
    if (depth <= 0) show(false);
  });
  pane.addEventListener("drop", (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    show(false);
    take([...event.dataTransfer.files]);
  });
}

function table(rows) {
  const [first, ...rest] = rows;
  return el("div", { class: "file-table", tabindex: "0", role: "region", "aria-label": "First rows" }, el("table", { class: "table" },
    el("thead", {}, el("tr", {}, first.map((cell) => el("th", { scope: "col" }, cell)))),
    el("tbody", {}, rest.map((row) => el("tr", {}, row.map((cell) => el("td", {}, cell)))))));
}

const PREVIEWS = {
  audio: (entry) => el("audio", { class: "file-player", controls: true, preload: "metadata", src: entry.url, "aria-label": entry.name, "data-testid": "player" }),
  video: (entry) => el("video", { class: "file-video", controls: true, preload: "metadata", src: entry.url, "aria-label": entry.name, "data-testid": "player" }),
  table: (entry) => table(entry.rows),
};

/** One shared file: what can be seen or heard of it, and a link that downloads it. */
export function drawFile(entry) {
  if (entry.gone) return el("span", { class: "file file-gone", "data-testid": "file" }, entry.name);
  const pictured = entry.picture !== null && entry.picture !== undefined;
  const link = el("a", { class: pictured ? "file file-pictured" : "file", href: entry.url, download: entry.name, "data-testid": "file", data: { file: entry.id } },
    pictured && el("img", { class: "file-picture", src: entry.url, alt: entry.picture }),
    el("span", { class: "file-kind", "aria-hidden": true }, ending(entry.name)),
    el("span", { class: "file-name" }, entry.name), el("span", { class: "file-size" }, entry.size));
  const preview = PREVIEWS[entry.preview]?.(entry);
  return preview ? el("div", { class: "file-shown", data: { preview: entry.preview } }, preview, link) : link;
}
