// A short walk through the first minute. It moves on by itself when the person does the thing.

import { el, fill, icon } from "./dom.js";
import { store } from "./store.js";

const DONE = "switchboard.tour";
const OVER = 99;

const approver = () => [...store.people.values()].find((person) => person.actor && person.kind === "approver");
const requester = () => store.person(store.guide.person) ?? [...store.people.values()].find((person) => person.actor && person.kind === "requester");
// Where the card waits; rather not where the command was typed, which may hold the asker's copy.
function cardChannel() {
  const holding = [...store.channels.values()].filter((channel) => store.list(channel.id).some(pending));
  return holding.find((channel) => channel.id !== store.guide.channel) ?? holding[0];
}

const pending = (message) => message.bot && message.blocks.some((block) => (block.elements ?? []).some((one) => one.style === "primary"));

const approveButton = () => (store.channel === cardChannel()?.id ? ".message-blocks .button-primary" : `.nav-item[data-channel="${cardChannel()?.id}"]`);

const more = () => Boolean(store.guide.sample_name || store.guide.book);
const armed = () => [...store.services.values()].some((service) => service.armed.length);
const panelShown = () => Boolean(document.querySelector(".panel:not([hidden])"));

let opened = false; // whether the thread with the offer was open once: who closes it goes on

/** Each step: what to say, where to point, what to offer, and when it is done. */
const STEPS = [
  {
    title: "Request a payment",
    words: () => ["Everything runs on your machine: a demo workspace, simulated services, and the real bot. You are ", el("strong", {}, store.me?.name ?? "the requester"), ". ", ...(store.me?.kind === "requester" ? ["Ask the bot to pay someone."] : [el("strong", {}, requester()?.name ?? "A requester"), " can ask the bot to pay someone."])],
    target: ".composer-box",
    offer: { label: "Fill it in for me", run: ({ tryIt }) => tryIt() },
    done: ({ topic, detail }) => topic === "messages" && Boolean(detail.message) && pending(detail.message),
  },
  {
    title: "Try to approve it yourself",
    words: () => ["The request waits in ", el("strong", {}, cardChannel() ? `#${cardChannel().name}` : "the approvals channel"), ". Press Approve there: you'll be refused."],
    target: () => approveButton(),
    offer: { label: "Take me there", run: () => cardChannel() && store.open(cardChannel().id), when: () => cardChannel() && store.channel !== cardChannel().id },
    done: ({ topic, detail }) => store.me?.kind === "approver"
      || (topic === "messages" && detail.fresh && detail.message?.bot && detail.message.ephemeral && detail.channel === cardChannel()?.id),
  },
  {
    title: "Switch to an approver",
    words: () => ["Nobody can approve their own request. ", el("strong", {}, approver()?.name ?? "An approver"), " can. You can act as anyone here."],
    target: () => (approver() ? `.person[data-user="${approver().id}"]` : ".people"),
    offer: { label: () => `Act as ${approver()?.name ?? "an approver"}`, run: ({ choose }) => approver() && choose(approver().id) },
    done: () => store.me?.kind === "approver",
  },
  {
    title: "Approve it",
    words: () => ["Check the amount and the recipient, then press Approve."],
    target: () => approveButton(),
    offer: { label: "Take me there", run: () => cardChannel() && store.open(cardChannel().id), when: () => cardChannel() && store.channel !== cardChannel().id },
    done: ({ topic, detail }) => topic === "services" && Boolean(detail.call?.moved),
  },
  {
    title: "Watch the money move",
    words: () => ["“Behind the scenes” lists every call to the payments service. Exactly one moved money.", more() ? "" : " Next, make the service misbehave and pay again."],
    target: () => (panelShown() ? ".panel" : ".button-panel"),
    panel: true,
    offer: { label: () => (!panelShown() ? "Show me" : more() ? "Go on" : "Done"), run: ({ next, showPanel }) => { showPanel(); next(); }, goesOn: true },
    done: () => false,
  },
  {
    title: "Drop a file",
    exists: () => Boolean(store.guide.sample_name),
    words: () => ["Drop audio, video, a document or a table into a channel, and the bot offers what it can do with it. Try a table: attach it and send."],
    target: ".composer-box",
    offer: { label: "Attach a table for me", run: ({ dropSample }) => dropSample() },
    done: ({ topic, detail }) => topic === "messages" && detail.fresh && detail.message?.bot && detail.message.blocks.some((block) => block.block_id?.startsWith("use:")),
  },
  {
    title: "See what it offers",
    exists: () => Boolean(store.guide.sample_name),
    words: () => [store.thread ? "“Pay in bulk” shows the sum, then asks for approval. “Process e-mails” checks the addresses." : "The bot answered in the thread of the file."],
    target: () => (store.thread ? "#thread .actions" : "#middle .message:last-of-type .replies"),
    offer: { label: () => (store.thread ? "Go on" : "Open the thread"), run: ({ next, openOffer }) => (store.thread ? next() : openOffer()), goesOn: () => Boolean(store.thread) },
    done: ({ topic }) => {
      opened ||= Boolean(store.thread);
      return topic === "thread" && opened && !store.thread;
    },
  },
  {
    title: "Book a delivery",
    exists: () => Boolean(store.guide.book),
    words: () => ["Type a command without details to open a form. In it, “Fill in an example” fills every field. Then follow the delivery in ", el("strong", {}, `#${store.channels.get(store.guide.book_channel)?.name ?? "deliveries"}`), "."],
    target: ".composer-box",
    offer: { label: "Fill it in for me", run: ({ typeFor }) => typeFor(store.guide.book, store.guide.book_channel) },
    done: ({ topic, detail }) => topic === "services" && detail.name === "delivery" && detail.call?.operation === "create_booking",
  },
  {
    title: "Make a service misbehave",
    exists: more,
    words: () => (armed()
      ? ["Armed. Now pay someone else and approve: the bot checks with the service what happened, and never sends twice."]
      : ["Under “Make it misbehave”, choose a request and what goes wrong: for example, let the service pay and then drop the connection."]),
    target: () => (!panelShown() ? ".button-panel" : armed() ? ".composer-box" : ".faults"),
    panel: true,
    offer: { label: () => (armed() ? "Fill it in for me" : panelShown() ? "Done" : "Show me"), run: ({ finish, showPanel, again }) => (armed() ? again() : panelShown() ? finish() : showPanel()) },
    done: ({ topic, detail }) => topic === "services" && Boolean(detail.call?.fault),
  },
];

const steps = () => STEPS.filter((step) => !step.exists || step.exists());

export function tour(root, { tryIt, again, dropSample, openOffer, typeFor, choose, showPanel, showDrawer, narrow }) {
  let at = Number(localStorage.getItem(DONE) ?? 0);
  let ring = null;

  const save = () => {
    try {
      localStorage.setItem(DONE, String(at));
    } catch {
      return; // storage may be switched off; the tour then starts anew at the next visit
    }
  };
  const finish = () => {
    at = OVER;
    save();
    draw();
  };
  const point = (step) => {
    ring?.classList.remove("pointed");
    const target = step && (typeof step.target === "function" ? step.target() : step.target);
    ring = target ? document.querySelector(target) : null;
    ring?.classList.add("pointed");
  };
  const hands = { tryIt, again, dropSample, openOffer, typeFor, choose, finish, showPanel, next };

  function draw() {
    const all = steps();
    const step = all[at];
    document.body.dataset.tour = step ? String(at + 1) : "over";
    point(step);
    if (!step || !store.ready) return fill(root);
    const { offer } = step;
    const shown = offer && (!offer.when || offer.when());
    const goesOn = shown && (typeof offer.goesOn === "function" ? offer.goesOn() : offer.goesOn);
    fill(root, el("section", { class: "tour", "aria-label": "Guided tour", "data-testid": "tour", data: { step: at + 1 } },
      el("div", { class: "tour-head" }, el("div", { class: "tour-dots", role: "img", "aria-label": `Step ${at + 1} of ${all.length}` }, all.map((_, each) => el("span", { class: each === at ? "on" : "" }))),
        el("h2", {}, step.title),
        el("button", { type: "button", class: "button-bare", "aria-label": "End the tour", "data-testid": "tour-close", on: { click: finish } }, icon("close"))),
      el("div", { class: "tour-row" }, el("p", {}, step.words()),
        el("div", { class: "tour-foot" },
          at < all.length - 1 && !goesOn && el("button", { type: "button", class: "button button-quiet", "data-testid": "tour-next", on: { click: next } }, "Skip step"),
          at === all.length - 1 && armed() && el("button", { type: "button", class: "button button-quiet", "data-testid": "tour-end", on: { click: finish } }, "Done"),
          shown && el("button", { type: "button", class: "button button-primary button-small", "data-testid": "tour-offer", on: { click: () => offer.run(hands) } }, typeof offer.label === "function" ? offer.label() : offer.label)))));
  }

  function next() {
    at += 1;
    save();
    if (steps()[at]?.panel && !narrow()) showPanel();
    showDrawer(false);
    draw();
  }

  const look = (topic) => (detail = {}) => {
    const step = store.ready && steps()[at];
    if (!step?.done({ topic, detail })) return draw();
    next();
    if (topic === "all") look(topic)(detail); // who became an approver may have done more than one step
  };
  for (const topic of ["all", "channel", "messages", "services", "home", "thread"]) store.on(topic, look(topic));
  return {
    restart: () => {
      at = 0;
      opened = false;
      save();
      draw();
    },
  };
}
