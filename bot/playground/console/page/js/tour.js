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

const more = () => Boolean(store.guide.sample_name || store.guide.book);
const armed = () => [...store.services.values()].some((service) => service.armed.length);
const panelShown = () => Boolean(document.querySelector(".panel:not([hidden])"));

let opened = false; // whether the thread with the offer was open once: who closes it goes on

/** Each step: what to say, where to point, what to offer, and when it is done. */
const STEPS = [
  {
    title: "Ask for a payment",
    words: () => ["All of this runs on your machine: a small chat workspace, the outside services in boxes, and the real bot between them. As ", el("strong", {}, requester()?.name ?? "the requester"), ", ask the bot to pay somebody."],
    target: ".composer-box",
    offer: { label: "Fill it in for me", run: ({ tryIt }) => tryIt() },
    done: ({ topic, detail }) => topic === "messages" && detail.fresh && detail.message?.bot && !detail.message.ephemeral && detail.message.blocks.some((block) => block.type === "header"),
  },
  {
    title: "Become somebody else",
    words: () => ["Nobody approves their own request. Switch to ", el("strong", {}, approver()?.name ?? "an approver"), ", who may."],
    target: () => (approver() ? `.person[data-user="${approver().id}"]` : ".people"),
    offer: { label: () => `Act as ${approver()?.name ?? "an approver"}`, run: ({ choose }) => approver() && choose(approver().id) },
    done: () => store.me?.kind === "approver",
  },
  {
    title: "Approve it",
    words: () => ["The card waits in ", el("strong", {}, cardChannel() ? `#${cardChannel().name}` : "the approvals channel"), ". Read it, then press Approve."],
    target: () => (store.channel === cardChannel()?.id ? ".message-blocks .button-primary" : `.nav-item[data-channel="${cardChannel()?.id}"]`),
    offer: { label: "Take me there", run: () => cardChannel() && store.open(cardChannel().id), when: () => cardChannel() && store.channel !== cardChannel().id },
    done: ({ topic, detail }) => topic === "services" && Boolean(detail.call?.moved),
  },
  {
    title: "Watch the money move",
    words: () => ["“Behind the scenes” lists every call the payments service got. Exactly one moved money, and the card only says what was observed.", more() ? "" : " Next, make the service misbehave and pay again."],
    target: () => (panelShown() ? ".panel" : ".button-panel"),
    panel: true,
    offer: { label: () => (!panelShown() ? "Show me" : more() ? "Go on" : "Done"), run: ({ next, showPanel }) => { showPanel(); next(); }, goesOn: true },
    done: () => false,
  },
  {
    title: "Drop a file",
    exists: () => Boolean(store.guide.sample_name),
    words: () => ["Files are dropped into the conversation: audio, video, documents, tables. The bot looks at what it really is and offers, in the thread, what can be done with it. Take one and send it."],
    target: ".composer-box",
    offer: { label: "Take a table for me", run: ({ dropSample }) => dropSample() },
    done: ({ topic, detail }) => topic === "messages" && detail.fresh && detail.message?.bot && detail.message.blocks.some((block) => block.block_id?.startsWith("use:")),
  },
  {
    title: "See what it offers",
    exists: () => Boolean(store.guide.sample_name),
    words: () => [store.thread ? "Press what you want done. “Pay in bulk” shows the sum and then asks the approvers, as before; “Process e-mails” asks for the column." : "The bot has answered in the thread of the file."],
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
    words: () => ["A verb alone opens a form. Ask for a delivery in ", el("strong", {}, `#${store.channels.get(store.guide.book_channel)?.name ?? "deliveries"}`), " and follow it to the door."],
    target: ".composer-box",
    offer: { label: "Fill it in for me", run: ({ typeFor }) => typeFor(store.guide.book, store.guide.book_channel) },
    done: ({ topic, detail }) => topic === "services" && detail.name === "delivery" && detail.call?.operation === "create_booking",
  },
  {
    title: "Make a service misbehave",
    exists: more,
    words: () => (armed()
      ? ["Armed. Now pay somebody else and approve: the card says what is known, the bot reads what became of it and never sends twice."]
      : ["Let the payments service do it and then drop the connection, or answer nonsense. Under “Make it misbehave”, choose a request and what goes wrong."]),
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
    if (step && step.done({ topic, detail })) next();
    else draw();
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
