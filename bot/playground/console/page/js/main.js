// Puts the parts together: who one is, which conversation is open, what stands on the right.

import { avatar, el, fill, icon, patch } from "./dom.js";
import { api, picture, Refused, Stream } from "./api.js";
import { Composer } from "./composer.js";
import { dropZone } from "./files.js";
import { homeView } from "./home.js";
import { announceMessage, MessageList } from "./messages.js";
import { modals } from "./modal.js";
import { panel } from "./panel.js";
import { markRead, markThreadRead } from "./reads.js";
import { sidebar } from "./sidebar.js";
import { store } from "./store.js";
import { tour } from "./tour.js";

const byId = (id) => document.getElementById(id);
const narrow = () => window.matchMedia("(max-width: 760px)").matches;
const roomForTwo = () => window.matchMedia("(min-width: 1560px)").matches;
const stream = new Stream();

// --- where we are: #/person/channel/thread, so that two windows can be two people and Back leads back ---

function address() {
  const [, person, channel, thread] = window.location.hash.split("/");
  return { person: person || null, channel: channel || null, thread: thread || null };
}

function remember() {
  const thread = store.thread?.channel === store.channel ? store.thread.ts : null;
  const wanted = `#/${store.me?.id ?? ""}/${store.channel ?? ""}${thread ? `/${thread}` : ""}`;
  if (window.location.hash === wanted) return;
  const first = !document.body.dataset.ready;
  window.history[first ? "replaceState" : "pushState"](null, "", wanted);
}

/** Go where the address says: Back, Forward, or typed. */
async function follow() {
  const { person, channel, thread } = address();
  const known = channel === "home" || store.channels.has(channel);
  if (person && person !== store.me?.id) {
    if (known) store.channel = channel;
    store.thread = null;
    await become(person, thread);
  } else if (known && channel !== store.channel) store.open(channel);
  if (known && thread !== (store.thread?.ts ?? null)) store.openThread(thread ? channel : null, thread);
}

// --- loading and following ---

async function become(person, thread = null) {
  stream.stop();
  const loaded = await picture(person);
  if (thread) store.thread = { channel: store.channel, ts: thread };
  store.load(loaded);
  remember();
  listenIn();
}

function listenIn() {
  stream.start(store.me.id, store.position, {
    onChange: (change) => store.apply(change),
    onGap: () => become(store.me.id),
    onOnline: reached,
  });
}

function reached(online) {
  store.online = online;
  store.met ||= online;
  store.tell("online");
}

/** The line may be gone: say so at once, and listen anew. The stream itself would notice much later. */
function lost() {
  if (!store.ready) return;
  reached(false);
  listenIn();
}

async function choose(person) {
  drawer(false);
  if (person === store.me?.id) return;
  await become(person);
  document.querySelector(`.person[data-user="${CSS.escape(person)}"]`)?.focus({ preventScroll: true });
}

// --- what stands where ---

function drawer(open) {
  document.body.dataset.drawer = open ? "open" : "closed";
  byId("scrim").hidden = !open;
  if (open) byId("sidebar").querySelector("button")?.focus();
}

const shown = { panel: false };
const parts = {};

function arrange() {
  const hasThread = Boolean(store.thread);
  const panelVisible = shown.panel && (!hasThread || roomForTwo());
  byId("thread").hidden = !hasThread;
  byId("panel").hidden = !panelVisible;
  document.body.dataset.right = hasThread && panelVisible ? "both" : hasThread ? "thread" : panelVisible ? "panel" : "none";
  parts.toggle?.setAttribute("aria-expanded", String(panelVisible));
  parts.panel?.draw();
}

function showPanel(open = true) {
  shown.panel = open;
  if (open && store.thread && !roomForTwo()) store.openThread(null);
  arrange();
  if (!narrow()) sessionStorage.setItem("switchboard.panel", open ? "open" : "closed");
}

function headWords(channel) {
  if (store.channel === "home") return ["App Home", "What Switchboard shows only to you"];
  if (channel.kind === "im") return [channel.name, "Direct message"];
  return [channel.name, channel.topic];
}

function head() {
  const channel = store.channels.get(store.channel);
  if (!channel && store.channel !== "home") return;
  const [name, topic] = headWords(channel);
  const mark = store.channel === "home" ? icon("home") : channel.kind === "im" ? avatar(store.person(store.workspace.bot), "s") : icon(channel.private ? "lock" : "hash");
  const misbehaving = [...store.services.values()].some((service) => service.armed.length);
  const toggle = el("button", {
    type: "button", class: "button button-small button-panel", "aria-expanded": String(!byId("panel").hidden), "aria-controls": "panel", title: "Behind the scenes", "data-testid": "panel-toggle",
    on: { click: () => showPanel(byId("panel").hidden) },
  }, icon("behind"), el("span", { class: "only-wide" }, "Behind the scenes"), el("span", { class: misbehaving ? "dot dot-bad" : "dot dot-good" }));
  patch(parts.head,
    el("button", { type: "button", class: "button-bare only-narrow", "aria-label": "Menu", "data-testid": "menu", on: { click: () => drawer(true) } }, icon("menu")),
    el("div", { class: "head-words" }, el("h1", { class: "head-name", "data-testid": "channel-name" }, mark, name), topic && el("p", { class: "head-topic" }, topic)),
    channel && channel.kind !== "im" && el("span", { class: "members only-wide", title: channel.members.join(", ") }, icon("people"), String(channel.members.length)),
    el("button", { type: "button", class: "button-bare", "aria-label": "Show the tour again", title: "Show the tour again", "data-testid": "tour-restart", on: { click: () => parts.tour.restart() } }, icon("help")),
    toggle,
    el("button", { type: "button", class: "me only-narrow", "aria-label": `You act as ${store.me.name}. Switch person`, on: { click: () => drawer(true) } }, avatar(store.me)));
  parts.toggle = parts.head.querySelector(".button-panel");
}

function conversation() {
  const atHome = store.channel === "home";
  parts.scroller.hidden = atHome;
  parts.homePlace.hidden = !atHome;
  parts.foot.hidden = atHome;
  head();
  if (atHome) return patch(parts.homePlace, homeView());
  const channel = store.channels.get(store.channel);
  if (!channel) return;
  parts.list.show(channel.id);
  parts.composer.address(`Message ${channel.kind === "im" ? channel.name : `#${channel.name}`} as ${store.me.name}`, `${store.me.id}/${channel.id}`);
  markRead(channel.id);
}

function emptyChannel(channel) {
  if (!channel) return document.createTextNode("");
  const words = channel.kind === "im" ? `This is the beginning of your conversation with ${channel.name}.` : `This is the beginning of #${channel.name}.`;
  return el("div", { class: "empty" }, icon(channel.kind === "im" ? "thread" : channel.private ? "lock" : "hash", "empty-icon"), el("h2", {}, words), channel.topic && el("p", {}, channel.topic));
}

function suggestions() {
  const touring = document.body.dataset.tour === "1";
  const used = [...store.messages.values()].some((bucket) => [...bucket.values()].some((message) => message.bot && message.blocks.length));
  patch(parts.chips, !used && !touring && store.guide.try_it && el("button", { type: "button", class: "chip", "data-testid": "try-it", on: { click: tryIt } }, icon("spark"), el("span", { class: "chip-lead" }, "Try it"), el("code", {}, store.guide.try_it)));
}

async function tryIt() {
  const { try_it: text, person, channel } = store.guide;
  if (person && store.me.id !== person) await become(person);
  if (channel && store.channels.has(channel) && store.channel !== channel) store.open(channel);
  parts.composer.put(text);
}

/** Another payment: the same one twice would need one more approver. */
const again = () => typeFor(store.guide.again || store.guide.try_it, store.guide.channel);

async function typeFor(text, channel) {
  if (store.guide.person && store.me.id !== store.guide.person) await become(store.guide.person);
  if (store.channels.has(channel) && store.channel !== channel) store.open(channel);
  parts.composer.put(text);
}

async function dropSample() {
  const { sample_name: name, sample, channel } = store.guide;
  await typeFor("", channel);
  parts.composer.attach([new File([sample], name, { type: "text/csv" })]);
}

/** Open the thread in which the bot offered something last. */
function openOffer() {
  const offers = [...store.channels.keys()].flatMap((channel) => [...(store.messages.get(channel)?.values() ?? [])])
    .filter((message) => message.bot && message.thread_ts && message.blocks.some((block) => block.block_id?.startsWith("use:")));
  const last = offers.sort((a, b) => a.order - b.order).at(-1);
  if (!last) return;
  if (store.channel !== last.channel) store.open(last.channel);
  store.openThread(last.channel, last.thread_ts);
}

// --- the thread on the right ---

function thread() {
  arrange();
  if (!store.thread) return;
  const { channel, ts } = store.thread;
  const place = store.channels.get(channel);
  patch(parts.threadHead, icon("thread"), el("h2", {}, "Thread"), el("span", { class: "pane-sub" }, place?.kind === "im" ? place.name : `#${place?.name ?? ""}`),
    el("button", { type: "button", class: "button-bare", "aria-label": "Close thread", "data-testid": "thread-close", on: { click: () => store.openThread(null) } }, icon("close")));
  parts.replies.show(channel, ts);
  parts.reply.address(`Reply as ${store.me.name}`, `${store.me.id}/${channel}/${ts}`);
  markThreadRead(channel, ts);
}

// --- construction ---

function build() {
  parts.head = el("header", { class: "head" });
  parts.scroller = el("div", { class: "scroller", tabindex: "-1" });
  parts.homePlace = el("div", { class: "scroller", hidden: true });
  parts.tourPlace = el("div", { id: "tour" });
  parts.chips = el("div", { class: "chips" });
  parts.offline = el("div", { class: "offline connecting", role: "status", "data-testid": "trouble" }, "Connecting…");
  parts.composer = new Composer({ id: "composer-text", testid: "composer", place: () => ({ channel: store.channel, thread: null }) });
  parts.foot = el("div", { class: "foot" }, parts.tourPlace, parts.chips, parts.composer.node);
  fill(byId("middle"), parts.head, parts.offline, parts.scroller, parts.homePlace, parts.foot);
  dropZone(byId("middle"), "Drop files to share them here", (files) => store.channel !== "home" && parts.composer.attach(files));
  parts.list = new MessageList(parts.scroller, { intro: emptyChannel, label: "Messages" });

  parts.threadHead = el("header", { class: "pane-head" });
  const threadScroller = el("div", { class: "scroller" });
  parts.reply = new Composer({ id: "reply-text", testid: "thread-composer", commands: false, place: () => ({ channel: store.thread.channel, thread: store.thread.ts }) });
  fill(byId("thread"), parts.threadHead, threadScroller, el("div", { class: "foot" }, parts.reply.node));
  dropZone(byId("thread"), "Drop files to share them in this thread", (files) => parts.reply.attach(files));
  parts.replies = new MessageList(threadScroller, { intro: null, label: "Replies", isThread: true });

  sidebar(byId("sidebar"), { choose, closeDrawer: () => drawer(false) });
  parts.panel = panel(byId("panel"), { close: () => showPanel(false) });
  modals();
  parts.tour = tour(parts.tourPlace, { tryIt, again, dropSample, openOffer, typeFor, choose, showPanel, showDrawer: drawer, narrow });
}

/** What keeps the page or the bot from answering. */
function trouble() {
  const words = store.online ? store.bot : store.met ? "Connection lost. Reconnecting…" : "Connecting…";
  if (parts.offline.textContent !== words) parts.offline.textContent = words;
  parts.offline.classList.toggle("connecting", !store.met);
  parts.offline.hidden = !words;
}

/** Skip links lead where something is to be done, also when that place is put away. */
function skip(event) {
  const place = event.target.closest(".skip")?.hash;
  if (!place) return;
  event.preventDefault(); // the address says where one is, not where the focus is
  if (place === "#people") {
    drawer(narrow());
    document.querySelector(".person[aria-checked=true]")?.focus();
  } else if (place === "#panel") {
    showPanel();
    byId("panel").querySelector("[role=tab][aria-selected=true]")?.focus();
  } else {
    if (store.channel === "home") store.open([...store.channels.keys()][0]);
    parts.composer.text.focus();
  }
}

// The app draws its home when somebody opens it.
function visitHome() {
  if (store.channel === "home") api.home().catch((problem) => { if (!(problem instanceof Refused)) throw problem; });
}

function listen() {
  store.on("all", () => { conversation(); suggestions(); thread(); visitHome(); });
  store.on("channel", () => {
    drawer(false);
    remember();
    conversation();
    if (!narrow()) parts.composer.text.focus();
    visitHome();
  });
  store.on("thread", () => {
    remember();
    thread();
    if (store.thread && !narrow()) parts.reply.text.focus();
  });
  store.on("messages", ({ channel, message, fresh }) => {
    if (channel === store.channel) {
      parts.list.sync();
      if (document.hasFocus()) markRead(channel);
    }
    if (store.thread?.channel === channel) {
      parts.replies.sync();
      markThreadRead(channel, store.thread.ts);
    }
    if (fresh) announceMessage(message);
    suggestions();
  });
  store.on("places", () => { head(); parts.list.sync(); });
  store.on("home", () => { if (store.channel === "home") conversation(); });
  store.on("services", head);
  for (const topic of ["online", "all"]) store.on(topic, trouble);
  window.addEventListener("focus", () => store.channel && store.channel !== "home" && markRead(store.channel));
  window.addEventListener("resize", arrange);
  window.addEventListener("hashchange", follow);
  window.addEventListener("offline", lost);
  window.addEventListener("online", () => !store.online && lost());
  store.on("lost", lost);
  document.querySelector(".skips").addEventListener("click", skip);
  byId("scrim").addEventListener("click", () => drawer(false));
  document.addEventListener("keydown", stepBack);
}

function stepBack(event) {
  if (event.key !== "Escape" || event.defaultPrevented || document.querySelector("dialog[open]")) return;
  if (document.body.dataset.drawer === "open") drawer(false);
  else if (store.thread) store.openThread(null);
  else if (narrow() && shown.panel) showPanel(false);
}

async function begin() {
  build();
  listen();
  const { person, channel, thread: opened } = address();
  store.channel = channel;
  shown.panel = !narrow() && window.innerWidth >= 1180 && sessionStorage.getItem("switchboard.panel") !== "closed";
  try {
    await become(person, opened);
  } catch (problem) {
    fill(byId("middle"), el("div", { class: "empty", role: "alert" }, el("h2", {}, "The playground doesn't answer."), el("p", {}, String(problem.message))));
    return;
  }
  arrange();
  document.body.dataset.ready = "yes";
}

begin();
