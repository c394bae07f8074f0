// Modals: the view on top of the person's stack, kept in step with what the app says.

import { announce, el, fill, icon } from "./dom.js";
import { api, Refused } from "./api.js";
import { drawBlocks } from "./blocks.js";
import { canFill, withExamples } from "./examples.js";
import { store } from "./store.js";

let dialog = null;
let controls = new Map(); // "block/action" -> {block, action, type, read, focus}
let shown = null; // the view that is drawn

const FORM = "switchboard.form.";

const name = (block, action) => `${block}/${action}`;

// What was typed into the form outlives a reload and a look at the page as somebody else.
function keep() {
  if (shown) sessionStorage.setItem(FORM + shown.id, JSON.stringify(typed()));
}

const kept = (view) => JSON.parse(sessionStorage.getItem(FORM + view.id) ?? "null");

function typed() {
  const values = {};
  for (const { block, action, read } of controls.values()) {
    const state = read();
    if (state) (values[block] ??= {})[action] = state;
  }
  return values;
}

// What is sent: the state of each input block. Other elements told the app when they were used.
function entered() {
  const all = typed();
  const inputs = shown.blocks.filter((block) => block.type === "input" && all[block.block_id]);
  return Object.fromEntries(inputs.map((block) => [block.block_id, all[block.block_id][block.element.action_id]]));
}

async function attempt(action) {
  const problem = dialog.querySelector(".modal-problem");
  problem.hidden = true;
  dialog.setAttribute("aria-busy", "true");
  try {
    await action();
  } catch (failure) {
    if (!(failure instanceof Refused)) throw failure;
    problem.textContent = failure.message;
    problem.hidden = false;
  } finally {
    dialog?.removeAttribute("aria-busy");
  }
}

function complaint(block, made) {
  const state = made.read();
  const value = state && Object.entries(state).find(([key]) => key !== "type")?.[1];
  if (value === null || value === undefined || value.length === 0) return block.optional ? null : "Please fill in this field.";
  return made.focus.checkValidity && !made.focus.checkValidity() ? made.focus.validationMessage : null;
}

function wrong() {
  const errors = {};
  for (const block of shown.blocks.filter((one) => one.type === "input")) {
    const made = controls.get(name(block.block_id, block.element.action_id));
    const words = made && complaint(block, made);
    if (words) errors[block.block_id] = words;
  }
  return errors;
}

function submit() {
  const errors = wrong();
  if (Object.keys(errors).length) return draw({ ...shown, errors });
  return attempt(() => api.submit(entered()));
}

const close = (clear) => attempt(() => api.close(shown.id, clear));

function frame() {
  const node = el("dialog", { class: "dialog modal", "aria-labelledby": "modal-title", "data-testid": "modal" });
  node.addEventListener("cancel", (event) => {
    event.preventDefault();
    close(false);
  });
  for (const happening of ["input", "change"]) node.addEventListener(happening, keep);
  document.body.append(node);
  return node;
}

const fillIn = () => attempt(async () => {
  const { id } = shown;
  const values = await withExamples(shown, typed());
  if (shown?.id !== id) return;
  draw({ ...shown, errors: {} }, values);
  keep();
});

function draw(view, given = null) {
  const before = given ?? (shown?.id === view.id ? typed() : kept(view));
  const focused = before && document.activeElement?.dataset?.actionId;
  controls = new Map();
  shown = view;
  const surface = {
    dispatch: (action) => attempt(() => api.actInView({ ...action, values: entered() })),
    state: (block, action) => before?.[block]?.[action] ?? view.values?.[block]?.[action] ?? null,
    register: (block, action, made) => controls.set(name(block, action), { block, action, ...made }),
    errors: view.errors ?? {},
  };
  const form = el("form", { class: "modal-form", novalidate: true },
    el("header", { class: "modal-head" },
      store.depth > 1 && el("button", { type: "button", class: "button-bare", "aria-label": "Back", "data-testid": "modal-back", on: { click: () => close(false) } }, icon("back")),
      el("h2", { class: "dialog-title", id: "modal-title", tabindex: "-1" }, view.title),
      el("button", { type: "button", class: "button-bare", "aria-label": "Close", "data-testid": "modal-x", on: { click: () => close(true) } }, icon("close"))),
    el("div", { class: "modal-body" }, drawBlocks(view.blocks, surface)),
    el("div", { class: "modal-problem action-error", role: "alert", hidden: !view.errors?.[""] }, view.errors?.[""]),
    el("footer", { class: "dialog-actions" },
      canFill(view) && el("button", { type: "button", class: "button button-quiet modal-example", "data-testid": "modal-example", on: { click: fillIn } }, icon("spark"), "Fill in an example"),
      el("button", { type: "button", class: "button", "data-testid": "modal-close", on: { click: () => close(false) } }, view.close || "Close"),
      view.submit && el("button", { type: "submit", class: "button button-primary", "data-testid": "modal-submit" }, view.submit)));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
  fill(dialog, form);
  dialog.dataset.viewId = view.id;
  dialog.dataset.callbackId = view.callback_id;
  place(view, focused);
}

function place(view, focused) {
  const bad = dialog.querySelector("[aria-invalid=true]");
  const same = focused && dialog.querySelector(`[data-action-id="${CSS.escape(focused)}"]`);
  const first = dialog.querySelector(".modal-body :is(input, textarea, select)") ?? dialog.querySelector("#modal-title");
  const target = bad ?? same ?? first;
  (target.matches(".choices") ? target.querySelector("input") : target).focus();
  if (bad) announce(Object.values(view.errors).join(" "));
}

function sync() {
  const view = store.view;
  if (!view) {
    if (dialog) {
      dialog.close();
      dialog.remove();
    }
    dialog = shown = null;
    controls = new Map();
    return;
  }
  if (!dialog) {
    dialog = frame();
    dialog.showModal();
  }
  const same = shown && shown.id === view.id && shown.hash === view.hash;
  if (!same || JSON.stringify(shown.errors) !== JSON.stringify(view.errors)) draw(view);
}

/** Keep the dialog in step with the person's stack of views. */
export function modals() {
  store.on("view", sync);
  store.on("all", sync); // after a break of the stream too: what was typed stays
}
