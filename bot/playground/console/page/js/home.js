// The App Home of the person one acts as.

import { el } from "./dom.js";
import { api, Refused } from "./api.js";
import { drawBlock } from "./blocks.js";
import { store } from "./store.js";

const EMPTY = "Switchboard draws this page when you open it. Nothing has come yet.";
const problem = el("div", { class: "action-error", role: "alert", hidden: true });
const place = el("div", { class: "blocks" });
const view = el("div", { class: "home", "data-testid": "home" }, place, problem);
let shown = { person: null, sources: [] };

async function dispatch(action) {
  problem.hidden = true;
  try {
    await api.actAtHome(action);
  } catch (failure) {
    if (!(failure instanceof Refused)) throw failure;
    problem.textContent = failure.message;
    problem.hidden = false;
  }
}

/** Put a block where another was; the focus stays there, on no button: a second press of Enter does nothing. */
function put(node, old) {
  if (!old) return place.append(node);
  const focused = old.contains(document.activeElement);
  old.replaceWith(node);
  if (!focused) return;
  node.tabIndex = -1;
  node.focus({ preventScroll: true });
}

/** The home view as one node. Blocks that are as before keep their nodes: a press that has begun there still counts. */
export function homeView() {
  const surface = { dispatch, state: (block, action) => store.home?.values?.[block]?.[action] ?? null, errors: {}, level: 2 };
  const blocks = store.home?.blocks ?? [];
  const person = store.me?.id;
  const sources = blocks.map((block) => JSON.stringify(block));
  if (person !== shown.person) {
    problem.hidden = true;
    place.replaceChildren();
  }
  if (!blocks.length) place.replaceChildren(el("p", { class: "home-empty" }, EMPTY));
  const before = person === shown.person ? shown.sources : [];
  blocks.forEach((block, at) => {
    if (sources[at] !== before[at]) put(drawBlock(block, surface), place.childNodes[at]);
  });
  while (place.childNodes.length > Math.max(blocks.length, 1)) place.lastChild.remove();
  shown = { person, sources };
  return view;
}
