// Elements people act on. Each control gives its node and reads its state the way Slack reports it.

import { el, freshId, icon } from "./dom.js";
import { plainText, textObject } from "./mrkdwn.js";
import { confirmed, openMenu } from "./dialog.js";
import { chooser, Pending } from "./files.js";
import { store } from "./store.js";

/**
 * @typedef {object} Place where an element stands
 * @property {string} blockId
 * @property {object|null} state what was entered before, in Slack's form
 * @property {((action: object) => Promise<void>)|null} dispatch tells the app at once; null in plain inputs
 * @property {string|null} labelledBy id of the label
 * @property {string|null} describedBy ids of hint and error
 */

/** @returns {{node: HTMLElement, read: () => object|null, focus: HTMLElement}} */
export function control(element, place) {
  const draw = CONTROLS[element.type] ?? unknown;
  const made = draw(element, place);
  const target = made.focus ?? made.node;
  target.dataset.actionId = element.action_id ?? "";
  if (place.labelledBy) target.setAttribute("aria-labelledby", place.labelledBy);
  if (place.describedBy) target.setAttribute("aria-describedby", place.describedBy);
  return { read: () => null, ...made, focus: target };
}

async function act(node, element, place, state) {
  if (!place.dispatch) return;
  if (!(await confirmed(element.confirm))) return;
  node.setAttribute("aria-busy", "true");
  try {
    await place.dispatch({ type: element.type, action_id: element.action_id, block_id: place.blockId, ...state });
  } finally {
    node.removeAttribute("aria-busy");
  }
}

function button(element, place) {
  const style = ["primary", "danger"].includes(element.style) ? ` button-${element.style}` : "";
  const node = el("button", {
    type: "button", class: `button${style}`, "aria-label": element.accessibility_label, data: { style: element.style, value: element.value },
  }, textObject(element.text));
  node.addEventListener("click", async () => {
    if (node.getAttribute("aria-busy")) return;
    if (/^https?:\/\//i.test(element.url ?? "") && !store.goTo(element.url)) window.open(element.url, "_blank", "noopener,noreferrer");
    await act(node, element, place, { text: element.text, ...(element.value === undefined ? {} : { value: element.value }) });
  });
  return { node };
}

const optionsOf = (element) => [...(element.options ?? []), ...(element.option_groups ?? []).flatMap((group) => group.options)];

function optionNode(option, index, chosen) {
  const words = plainText(option.text) + (option.description ? ` – ${plainText(option.description)}` : "");
  return el("option", { value: String(index), selected: chosen?.value === option.value, "data-value": option.value }, words);
}

function select(element, place) {
  const options = optionsOf(element);
  const chosen = place.state ? place.state.selected_option : element.initial_option;
  let index = 0;
  const groups = element.option_groups
    ? element.option_groups.map((group) => el("optgroup", { label: plainText(group.label) }, group.options.map((option) => optionNode(option, index++, chosen))))
    : options.map((option) => optionNode(option, index++, chosen));
  const node = el("select", { class: "select" },
    el("option", { value: "", selected: !chosen, disabled: Boolean(place.dispatch) }, plainText(element.placeholder) || "Choose…"), groups);
  const read = () => ({ type: element.type, selected_option: options[Number(node.value || NaN)] ?? null });
  node.addEventListener("change", () => act(node, element, place, read()));
  return { node, read };
}

function idSelect(key, entries) {
  return (element, place) => {
    const chosen = place.state ? place.state[key] : element[key.replace("selected_", "initial_")];
    const node = el("select", { class: "select" },
      el("option", { value: "", selected: !chosen, disabled: Boolean(place.dispatch) }, plainText(element.placeholder) || "Choose…"),
      entries().map(({ id, label }) => el("option", { value: id, selected: id === chosen }, label)));
    const read = () => ({ type: element.type, [key]: node.value || null });
    node.addEventListener("change", () => act(node, element, place, read()));
    return { node, read };
  };
}

const people = () => [...store.people.values()].filter((person) => !person.deleted).map(({ id, name }) => ({ id, label: name }));
const channels = () => [...store.channels.values()].filter((channel) => channel.kind !== "im").map(({ id, name }) => ({ id, label: `#${name}` }));

function choices(kind) {
  return (element, place) => {
    const group = freshId("choice");
    const before = place.state ? (place.state.selected_options ?? [place.state.selected_option]) : (element.initial_options ?? [element.initial_option]);
    const chosen = new Set(before.filter(Boolean).map((option) => option.value));
    const options = optionsOf(element);
    const boxes = options.map((option) => el("input", { type: kind, name: group, checked: chosen.has(option.value), "data-value": option.value }));
    const node = el("div", { class: "choices", role: kind === "radio" ? "radiogroup" : "group" }, options.map((option, at) =>
      el("label", { class: "choice" }, boxes[at], el("span", { class: "choice-words" }, textObject(option.text),
        option.description && el("span", { class: "choice-more" }, textObject(option.description))))));
    const picked = () => options.filter((_, at) => boxes[at].checked);
    const read = () => (kind === "radio" ? { type: element.type, selected_option: picked()[0] ?? null } : { type: element.type, selected_options: picked() });
    node.addEventListener("change", () => act(node, element, place, read()));
    return { node, read, focus: node };
  };
}

function overflow(element, place) {
  const node = el("button", { type: "button", class: "button button-icon", "aria-haspopup": "menu", "aria-expanded": "false", "aria-label": "More actions" }, icon("dots"));
  node.addEventListener("click", () => openMenu(node, (element.options ?? []).map((option) => ({
    label: plainText(option.text), id: option.value, pick: () => act(node, element, place, { selected_option: option }),
  }))));
  return { node };
}

function textInput(type) {
  return (element, place) => {
    const many = element.multiline === true;
    const value = (place.state ? place.state.value : element.initial_value) ?? "";
    const node = el(many ? "textarea" : "input", {
      class: "input", ...(many ? { rows: 4 } : { type }), placeholder: plainText(element.placeholder) || null, autocomplete: "off",
      maxlength: element.max_length, minlength: element.min_length, inputmode: type === "number" ? "decimal" : null,
      ...(type === "number" ? { min: element.min_value, max: element.max_value, step: element.is_decimal_allowed ? "any" : "1" } : {}), value,
    });
    const read = () => ({ type: element.type, value: node.value === "" ? null : node.value });
    if (place.dispatch) {
      node.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" || many || event.isComposing) return;
        event.preventDefault();
        act(node, element, place, { value: node.value });
      });
    }
    return { node, read };
  };
}

function dateInput(type, key) {
  return (element, place) => {
    const value = (place.state ? place.state[key] : element[key.replace("selected_", "initial_")]) ?? "";
    const node = el("input", { class: "input input-short", type, value });
    const read = () => ({ type: element.type, [key]: node.value || null });
    node.addEventListener("change", () => act(node, element, place, read()));
    return { node, read };
  };
}

function idChoices(key, entries) {
  return (element, place) => {
    const chosen = new Set((place.state ? place.state[key] : element[key.replace("selected_", "initial_")]) ?? []);
    const listed = entries();
    const boxes = listed.map(({ id }) => el("input", { type: "checkbox", checked: chosen.has(id), "data-value": id }));
    const node = el("div", { class: "choices choices-many", role: "group" }, listed.map(({ label }, at) =>
      el("label", { class: "choice" }, boxes[at], el("span", { class: "choice-words" }, label))));
    const read = () => ({ type: element.type, [key]: listed.filter((_, at) => boxes[at].checked).map(({ id }) => id) });
    node.addEventListener("change", () => act(node, element, place, read()));
    return { node, read, focus: node };
  };
}

function momentInput(element, place) {
  const seconds = (place.state ? place.state.selected_date_time : element.initial_date_time) ?? null;
  const local = seconds === null ? "" : new Date((seconds - new Date(seconds * 1000).getTimezoneOffset() * 60) * 1000).toISOString().slice(0, 16);
  const node = el("input", { class: "input input-short", type: "datetime-local", value: local });
  const read = () => ({ type: element.type, selected_date_time: node.value ? Math.floor(new Date(node.value).getTime() / 1000) : null });
  node.addEventListener("change", () => act(node, element, place, read()));
  return { node, read };
}

function fileInput(element, place) {
  const most = element.max_files ?? 10;
  const types = element.filetypes ?? [];
  const pending = new Pending({ most });
  const accept = types.length ? types.map((type) => `.${type}`).join(",") : null;
  const take = (files) => (most === 1 ? pending.replace(files.slice(0, 1), store.me.id) : pending.add(files, store.me.id));
  const { button, input } = chooser({ label: most === 1 ? "Choose a file" : "Choose files", testid: "file-input", accept, multiple: most > 1, className: "button file-choose", look: [icon("clip"), most === 1 ? "Choose a file" : "Choose files"], pick: take });
  const node = el("div", { class: "file-input" }, pending.node, button, input, el("span", { class: "file-drop-hint" }, types.length ? `or drop it here: ${types.join(", ")}` : "or drop it here"));
  node.addEventListener("dragover", (event) => event.preventDefault());
  node.addEventListener("drop", (event) => {
    event.preventDefault();
    event.stopPropagation();
    take([...event.dataTransfer.files]);
  });
  if (place.state?.files?.length) pending.restore(place.state.files);
  const read = () => ({ type: element.type, files: pending.ready.map(({ id, name, size }) => ({ id, name, size })) });
  return { node, read, focus: button };
}

function unknown(element) {
  return { node: el("span", { class: "unknown" }, `The playground does not draw “${element.type}” yet.`) };
}

const CONTROLS = {
  button,
  static_select: select,
  users_select: idSelect("selected_user", people),
  conversations_select: idSelect("selected_conversation", channels),
  channels_select: idSelect("selected_channel", channels),
  radio_buttons: choices("radio"),
  checkboxes: choices("checkbox"),
  multi_static_select: choices("checkbox"),
  multi_users_select: idChoices("selected_users", people),
  multi_conversations_select: idChoices("selected_conversations", channels),
  multi_channels_select: idChoices("selected_channels", channels),
  datetimepicker: momentInput,
  file_input: fileInput,
  overflow,
  plain_text_input: textInput("text"),
  email_text_input: textInput("email"),
  url_text_input: textInput("url"),
  number_input: textInput("number"),
  datepicker: dateInput("date", "selected_date"),
  timepicker: dateInput("time", "selected_time"),
};
