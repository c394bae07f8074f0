// Left: the workspace, its conversations, and who one acts as.

import { avatar, el, icon, patch } from "./dom.js";
import { unread } from "./reads.js";
import { store } from "./store.js";

function conversation(id, mark, name, count, current) {
  return el("button", {
    type: "button", class: "nav-item", "aria-current": current ? "page" : null, data: { key: id, channel: id, testid: "channel", unread: count || null },
    on: { click: () => store.open(id) },
  }, mark, el("span", { class: "nav-name" }, name), count > 0 && el("span", { class: "badge", "aria-label": `${count} unread` }, String(count)));
}

function channels() {
  const all = [...store.channels.values()];
  const row = (channel) => {
    const mark = channel.kind === "im" ? avatar(store.person(store.workspace.bot), "s") : icon(channel.private ? "lock" : "hash");
    const current = store.channel === channel.id;
    return conversation(channel.id, mark, channel.name, current ? 0 : unread(channel.id), current);
  };
  const rooms = all.filter((channel) => channel.kind !== "im");
  const direct = all.filter((channel) => channel.kind === "im");
  return [
    el("section", { class: "nav-group" }, conversation("home", icon("home"), "App Home", 0, store.channel === "home")),
    rooms.length > 0 && el("section", { class: "nav-group" }, el("h2", { class: "nav-title" }, "Channels"), rooms.map(row)),
    direct.length > 0 && el("section", { class: "nav-group" }, el("h2", { class: "nav-title" }, "Direct messages"), direct.map(row)),
  ];
}

function personRow(person, choose) {
  const mine = person.id === store.me?.id;
  return el("button", {
    type: "button", class: "person", role: "radio", "aria-checked": String(mine), tabindex: mine ? "0" : "-1", data: { key: person.id, user: person.id, testid: "person" },
    on: { click: () => choose(person.id) },
  }, avatar(person, "m"), el("span", { class: "person-words" }, el("span", { class: "person-name" }, person.name), el("span", { class: `role role-${person.kind}`, title: person.role }, person.role)),
  mine && icon("check", "icon person-check"));
}

function arrows(event) {
  const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const rows = [...event.currentTarget.querySelectorAll("[role=radio]")];
  rows[(rows.indexOf(document.activeElement) + step + rows.length) % rows.length].focus();
}

/** Draws the sidebar and keeps it current. `choose` switches to another person. */
export function sidebar(root, { choose, closeDrawer }) {
  const draw = () => {
    const people = el("div", { class: "people", id: "people", role: "radiogroup", "aria-labelledby": "acting", "data-testid": "person-switch", on: { keydown: arrows } },
      [...store.people.values()].filter((person) => person.actor).map((person) => personRow(person, choose)));
    patch(root,
      el("div", { class: "brand" }, icon("logo", "logo"), el("div", { class: "brand-words" }, el("div", { class: "brand-name" }, store.workspace.name), el("div", { class: "brand-sub" }, "Playground")),
        el("button", { type: "button", class: "button-bare only-narrow", "aria-label": "Close menu", on: { click: closeDrawer } }, icon("close"))),
      el("div", { class: "nav-scroll" }, channels()),
      el("section", { class: "acting" }, el("h2", { class: "nav-title", id: "acting" }, "You act as"), people));
  };
  for (const topic of ["all", "channel", "messages", "places", "home", "read"]) store.on(topic, draw);
}
