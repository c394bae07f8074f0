// What each person has seen, kept for the life of the tab.

import { store } from "./store.js";

const memory = new Map();

function key(place) {
  return `switchboard.read.${store.workspace.boot}.${store.me?.id}.${place}`;
}

function seen(place) {
  const name = key(place);
  if (!memory.has(name)) memory.set(name, Number(sessionStorage.getItem(name) ?? 0));
  return memory.get(name);
}

function mark(place, order) {
  if (order <= seen(place)) return false;
  memory.set(key(place), order);
  sessionStorage.setItem(key(place), String(order));
  return true;
}

const latest = (messages) => messages.reduce((most, message) => Math.max(most, message.order), 0);

/** How many messages of others the person has not seen in a channel. */
export function unread(channel) {
  const since = seen(channel);
  return store.list(channel).filter((message) => message.order > since && message.user !== store.me?.id).length;
}

export function unreadReplies(channel, ts) {
  const since = seen(`${channel}.${ts}`);
  return store.replies(channel, ts).filter((message) => message.order > since && message.user !== store.me?.id).length;
}

export function markRead(channel) {
  if (mark(channel, latest(store.list(channel)))) store.tell("read");
}

export function markThreadRead(channel, ts) {
  if (mark(`${channel}.${ts}`, latest(store.replies(channel, ts)))) store.tell("messages", { channel });
}
