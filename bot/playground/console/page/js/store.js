// What the page knows. One object, changed here only; parts listen for the topics they draw.

const CALLS_KEPT = 200;

/** Topics: "all", "channel", "messages", "places", "view", "home", "services", "thread", "online" (bot included), "lost", "read". */
class Store {
  #listeners = new Map();

  constructor() {
    this.ready = false;
    this.position = "";
    this.workspace = { name: "", url: "" };
    this.me = null;
    this.people = new Map();
    this.groups = new Map();
    this.channels = new Map();
    this.commands = [];
    this.shortcuts = [];
    this.messages = new Map(); // channel id -> Map(ts -> message)
    this.view = null;
    this.depth = 0;
    this.home = null;
    this.services = new Map();
    this.channel = null;
    this.thread = null;
    this.online = false;
    this.met = false; // whether it was ever online
    this.bot = ""; // why the bot does not answer; empty: it runs
    this.guide = {};
  }

  on(topic, listener) {
    if (!this.#listeners.has(topic)) this.#listeners.set(topic, new Set());
    this.#listeners.get(topic).add(listener);
  }

  tell(topic, detail) {
    for (const listener of this.#listeners.get(topic) ?? []) listener(detail);
  }

  /** Take a whole picture from the server, e.g. after switching person or after a gap in the stream. */
  load(picture) {
    this.position = picture.position;
    this.workspace = picture.workspace;
    this.guide = picture.guide;
    this.commands = picture.commands;
    this.shortcuts = picture.shortcuts;
    this.#places(picture);
    this.messages = new Map(picture.channels.map((channel) => [channel.id, new Map()]));
    for (const message of picture.messages) this.#bucket(message.channel).set(message.key, message);
    this.view = picture.view;
    this.depth = picture.depth;
    this.home = picture.home;
    this.bot = picture.bot;
    this.services = new Map(picture.services.map((service) => [service.name, service]));
    if (!this.channels.has(this.channel) && this.channel !== "home") this.channel = picture.channels[0]?.id ?? null;
    if (this.thread && !this.channels.has(this.thread.channel)) this.thread = null;
    this.ready = true;
    this.tell("all");
  }

  #places(picture) {
    this.me = picture.me;
    this.people = new Map(picture.people.map((person) => [person.id, person]));
    this.groups = new Map(picture.groups.map((group) => [group.id, group]));
    this.channels = new Map(picture.channels.map((channel) => [channel.id, channel]));
  }

  #bucket(channel) {
    if (!this.messages.has(channel)) this.messages.set(channel, new Map());
    return this.messages.get(channel);
  }

  /** Apply one change of the stream. */
  apply(change) {
    this.position = change.position ?? this.position;
    switch (change.kind) {
      case "message":
        return this.#message(change.message);
      case "gone":
        this.#bucket(change.channel).delete(change.key);
        return this.tell("messages", { channel: change.channel, gone: change.key });
      case "view":
        this.view = change.view;
        this.depth = change.depth;
        return this.tell("view");
      case "home":
        this.home = change.home;
        return this.tell("home");
      case "bot":
        this.bot = change.bot;
        return this.tell("online");
      case "places":
        this.#places(change);
        return this.tell("places");
      case "service":
        return this.#service(change);
    }
  }

  #message(message) {
    const bucket = this.#bucket(message.channel);
    const fresh = !bucket.has(message.key);
    bucket.set(message.key, message);
    this.tell("messages", { channel: message.channel, message, fresh });
  }

  #service({ name, status, call }) {
    const service = this.services.get(name);
    if (!service) return;
    Object.assign(service, status);
    const known = call ? service.calls.findIndex((one) => one.id === call.id) : -1;
    if (known >= 0) service.calls[known] = call;
    else if (call) service.calls.push(call);
    if (service.calls.length > CALLS_KEPT) service.calls.shift();
    this.tell("services", { name, call });
  }

  /** Messages of a channel in order; a thread's when `thread` is given, else those outside threads. */
  list(channel, thread = null) {
    const all = [...(this.messages.get(channel)?.values() ?? [])];
    const wanted = thread
      ? all.filter((m) => m.ts === thread || m.thread_ts === thread)
      : all.filter((m) => !m.thread_ts || m.thread_ts === m.ts || m.broadcast);
    return wanted.sort((a, b) => a.order - b.order);
  }

  replies(channel, ts) {
    return [...(this.messages.get(channel)?.values() ?? [])]
      .filter((m) => m.thread_ts === ts && m.ts !== ts)
      .sort((a, b) => a.order - b.order);
  }

  person(id) {
    return this.people.get(id);
  }

  open(channel) {
    const elsewhere = this.thread && this.thread.channel !== channel;
    this.channel = channel;
    this.tell("channel");
    if (elsewhere) this.openThread(null);
  }

  /** Follow a link to a message of this workspace: its channel with its thread beside it; false for any other link. */
  goTo(url) {
    const [, channel, seconds, rest] = /\/archives\/([A-Z0-9]+)\/p(\d+)(\d{6})$/.exec(url) ?? [];
    if (!this.channels.has(channel)) return false;
    this.open(channel);
    this.openThread(channel, `${seconds}.${rest}`);
    return true;
  }

  openThread(channel, ts) {
    this.thread = channel ? { channel, ts } : null;
    this.tell("thread");
  }
}

export const store = new Store();
