// Behind the scenes: what each service was asked, what it did, and switches that make it misbehave.

import { el, icon, patch } from "./dom.js";
import { api, Refused } from "./api.js";
import { clockWithSeconds } from "./dates.js";
import { store } from "./store.js";

const TIMES = [["1", "next request"], ["3", "next three requests"], ["", "every request, until switched off"]];

const open = new Set(); // calls whose details are shown
const chosen = new Map(); // service -> {operation, times, open}
const problems = new Map(); // service -> why the last action did not work
let current = null;
let filter = "all";

function pretty(value) {
  return value === null || value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

// Long ids say little; their beginning is enough to tell them apart. The whole path is in the title.
function short(path) {
  return path.replace(/[0-9a-f]{12,}/gi, (id) => `${id.slice(0, 5)}…`);
}

function statusOf(call) {
  if (call.pending) return el("span", { class: "status status-wait" }, "…");
  if (call.status === null) return el("span", { class: "status status-bad", title: "No answer was given" }, call.outcome || "no answer");
  const kind = call.ok ? "good" : call.status >= 500 || call.status === 429 ? "bad" : "warn";
  return el("span", { class: `status status-${kind}` }, call.outcome || String(call.status));
}

function details(title, value) {
  const text = pretty(value);
  return text && el("div", { class: "detail" }, el("h4", {}, title), el("pre", { tabindex: "0" }, text));
}

function callRow(service, call) {
  const key = `${service.name}.${call.id}`;
  const summary = el("summary", { class: "call-line" },
    el("span", { class: "call-words" },
      el("span", { class: "call-title" }, call.direction === "out" && el("span", { class: "call-out", title: "Sent by the service" }, "← "), call.title),
      el("span", { class: "call-what", title: `${call.method} ${call.path}` }, `${clockWithSeconds(call.at)} ${call.method} ${short(call.path)}`)),
    call.moved && el("span", { class: "moved", title: call.moved }, icon("coin"), call.moved),
    call.fault && el("span", { class: "fault-mark", title: call.fault }, icon("bolt")),
    statusOf(call));
  const more = open.has(key) && el("div", { class: "call-more" },
    call.fault && el("p", { class: "call-fault" }, icon("bolt"), call.fault), details("Request", call.body), details("Answer", call.response));
  return el("details", {
    class: "call", open: open.has(key), data: { key, testid: "call", operation: call.operation, status: call.status, moved: call.moved ? "yes" : "no", fault: call.fault },
    on: { toggle: ({ currentTarget: node }) => { remember(open, key, node.open); } },
  }, summary, more);
}

function remember(places, key, isOpen) {
  if (places.has(key) === isOpen) return;
  if (isOpen) places.add(key);
  else places.delete(key);
  draw();
}

function figures(service) {
  return el("dl", { class: "figures" }, service.figures.map(({ label, value, strong, name }) =>
    el("div", { class: strong ? "figure-tile figure-strong" : "figure-tile" }, el("dt", {}, label), el("dd", { data: { testid: `figure-${name}` } }, value))));
}

function state(service) {
  if (!service.armed.length) return el("div", { class: "manners manners-good", "data-testid": "manners" }, el("span", { class: "dot dot-good" }), "Works normally");
  return el("div", { class: "manners manners-bad", "data-testid": "manners" },
    el("ul", { class: "armed" }, service.armed.map((one) => el("li", { data: { testid: "armed", kind: one.kind } }, icon("bolt"), el("span", {}, el("strong", {}, one.title), ` ${one.when}`)))),
    el("button", { type: "button", class: "button button-small", "data-testid": "behave", on: { click: () => perform(service, () => api.behave(service.name)) } }, "Behave again"));
}

async function perform(service, action) {
  problems.delete(service.name);
  draw();
  try {
    await action();
  } catch (problem) {
    if (!(problem instanceof Refused)) throw problem;
    problems.set(service.name, problem.message);
    draw();
  }
}

function faults(service) {
  const wish = chosen.get(service.name) ?? { operation: service.operations[0]?.name ?? "*", times: "1", open: false };
  chosen.set(service.name, wish);
  const operation = el("select", { class: "select select-small", "aria-label": "Which request", "data-testid": "fault-operation", on: { change: (event) => { wish.operation = event.target.value; draw(); } } },
    service.operations.map(({ name, title }) => el("option", { value: name, selected: name === wish.operation }, title)));
  const times = el("select", { class: "select select-small", "aria-label": "How often", "data-testid": "fault-times", on: { change: (event) => { wish.times = event.target.value; } } },
    TIMES.map(([value, words]) => el("option", { value, selected: value === wish.times }, words)));
  const chosenOne = service.operations.find(({ name }) => name === wish.operation);
  const kinds = chosenOne?.faults ?? [];
  return el("details", { class: "faults", open: wish.open, "data-testid": "faults", on: { toggle: (event) => { wish.open = event.currentTarget.open; } } },
    el("summary", {}, icon("bolt"), "Make it misbehave", icon("chevron", "icon turn")),
    el("div", { class: "fault-form" },
      el("div", { class: "fault-where" }, operation, !chosenOne?.lasting && times),
      el("div", { class: "fault-kinds" }, kinds.map(({ kind, title, about }) => el("button", {
        type: "button", class: "fault", title: about, data: { testid: "fault", key: kind, kind },
        on: { click: () => perform(service, () => api.arm(service.name, wish.operation, kind, wish.times ? Number(wish.times) : null)) },
      }, title)))));
}

function tabs() {
  const all = [...store.services.values()];
  return el("div", { class: "tabs", role: "tablist", "aria-label": "Services", on: { keydown: step } }, all.map((service) => el("button", {
    type: "button", role: "tab", class: "tab", id: `tab-${service.name}`, "aria-selected": String(service.name === current), tabindex: service.name === current ? "0" : "-1", "aria-controls": "panel-service",
    data: { testid: "service-tab", service: service.name }, on: { click: () => { current = service.name; draw(); document.getElementById(`tab-${service.name}`)?.focus(); } },
  }, el("span", { class: service.armed.length ? "dot dot-bad" : "dot dot-good" }), service.title, el("span", { class: "tab-count" }, String(service.count)))));
}

function step({ key, currentTarget: { children: all } }) {
  const by = { ArrowRight: 1, ArrowLeft: -1 }[key];
  if (by) all[([...all].indexOf(document.activeElement) + by + all.length) % all.length]?.click();
}

function calls(service) {
  const wanted = service.calls.filter((call) => filter === "all" || call.changes).toReversed();
  const toggle = el("label", { class: "only-money" },
    el("input", { type: "checkbox", checked: filter !== "all", on: { change: (event) => { filter = event.target.checked ? "changes" : "all"; draw(); } } }), "only what changed something");
  return el("section", { class: "calls", "aria-label": "Calls" },
    el("div", { class: "calls-head" }, el("h3", {}, "Calls, newest first"), toggle),
    wanted.length ? el("div", { class: "call-list", "data-testid": "calls" }, wanted.map((call) => callRow(service, call)))
      : el("p", { class: "nothing" }, service.calls.length ? "No call changed anything yet." : "No calls yet."));
}

let root = null;
let closePanel = () => {};

function draw() {
  if (!root || root.hidden) return;
  if (!store.services.has(current)) current = [...store.services.keys()][0] ?? null;
  const service = store.services.get(current);
  const problem = problems.get(current);
  patch(root,
    el("header", { class: "pane-head" }, icon("behind"), el("h2", {}, "Behind the scenes"),
      el("button", { type: "button", class: "button-bare", "aria-label": "Close", "data-testid": "panel-close", on: { click: closePanel } }, icon("close"))),
    tabs(),
    service && el("div", { class: "panel-body", id: "panel-service", role: "tabpanel", "aria-labelledby": `tab-${service.name}`, data: { key: service.name } },
      el("p", { class: "about" }, service.about), figures(service), faults(service), state(service),
      el("div", { class: "action-error", id: "panel-problem", role: "alert", hidden: !problem }, problem), calls(service)));
}

/** Draw the panel and keep it live. */
export function panel(node, { close }) {
  root = node;
  closePanel = close;
  let asked = false;
  const soon = () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      draw();
    });
  };
  for (const topic of ["all", "services"]) store.on(topic, soon);
  return { draw };
}
