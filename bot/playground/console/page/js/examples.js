// What could stand in the fields of a form, for people who only want to see what happens next.

import { api } from "./api.js";
import { plainText } from "./mrkdwn.js";
import { store } from "./store.js";

/** By the id of the field; before it, the form where that matters. A field that is not here takes its own example. */
const TEXTS = {
  email: "ana@example.com",
  amount: "25.00",
  description: "March translation",
  code: () => `INV-${String(Date.now()).slice(-8)}`, // each is used once
  items: "Web design = 2 x 10.00\nHosting = 12 x 4.50",
  reason: "Invoice number is missing",
  "verb/reason": "The bank called",
  "booking.cancel/reason": "The customer called it off",
  "booking.request/amount": "25.50",
  "booking.prebook/amount": "25.50",
  "booking.quote/amount": "25.50",
  position: "-0.2101, -78.5023",
  phone: "+593 99 123 4567",
  "store.add/name": "Harbour",
  "store.add/email": "harbour@example.com",
  store: "Centro",
  text: "The parcel is on its way. It arrives tomorrow morning. Thank you for your patience.",
  line: "The parcel is on its way. It arrives tomorrow morning.",
  address: "12 Market Street, 3rd floor",
  "verb/address": "ana@example.com",
};

const REFERENCE = /\b[PLXCBV]-[2-9A-Z]{6}\b/g;
const KINDS = { operation: "PLXC", payout: "P", bulk: "L", booking: "B", id: "PLXCBV" };

/** The reference of that kind that somebody saw last. */
function lastReference(kinds) {
  const all = [...store.messages.values()].flatMap((bucket) => [...bucket.values()]).sort((a, b) => a.order - b.order);
  const seen = all.flatMap((message) => `${message.text} ${JSON.stringify(message.blocks)}`.match(REFERENCE) ?? []);
  return seen.filter((reference) => kinds.includes(reference[0])).at(-1) ?? `${kinds[0]}-4F7K2M`;
}

function words(view, block) {
  const { block_id: id, element } = block;
  const sum = /\d[\d,]*\.\d\d/.exec(plainText(block.label)); // what has to be typed again stands in the label
  if (id === "amount" && sum) return sum[0].replaceAll(",", "");
  if (id in KINDS && view.callback_id === "verb") return lastReference(KINDS[id]);
  const known = TEXTS[`${view.callback_id}/${id}`] ?? TEXTS[id];
  if (known) return typeof known === "function" ? known() : known;
  const placeholder = plainText(element.placeholder);
  if (placeholder) return placeholder;
  if (element.type === "number_input") return element.min_value ?? "1";
  if (element.type === "url_text_input") return window.location.origin;
  return element.type === "email_text_input" ? "ana@example.com" : "Example";
}

const options = (element) => [...(element.options ?? []), ...(element.option_groups ?? []).flatMap((group) => group.options)];
const tomorrow = () => new Date(Date.now() + 86_400_000);

async function sample() {
  const { sample_name: name, sample: text } = store.guide;
  const file = new File([text || "email\nana@example.com\n"], name || "addresses.csv", { type: "text/csv" });
  return api.upload(file);
}

const STATES = {
  static_select: (view, block) => ({ selected_option: options(block.element)[0] }),
  radio_buttons: (view, block) => ({ selected_option: options(block.element)[0] }),
  users_select: () => ({ selected_user: [...store.people.values()].find((person) => person.actor && person.id !== store.me.id)?.id }),
  conversations_select: () => ({ selected_conversation: store.channel }),
  channels_select: () => ({ selected_channel: store.channel }),
  datepicker: () => ({ selected_date: tomorrow().toISOString().slice(0, 10) }),
  timepicker: () => ({ selected_time: "12:00" }),
  datetimepicker: () => ({ selected_date_time: Math.floor(tomorrow().getTime() / 1000) }),
  file_input: async () => ({ files: [await sample()] }),
};
for (const type of ["plain_text_input", "email_text_input", "url_text_input", "number_input"]) {
  STATES[type] = (view, block) => ({ value: words(view, block) });
}

/** Left as they are: choices of a verb, and what may only be given instead of something else. */
function isLeftOpen(view, block) {
  return block.optional && (view.callback_id === "verb" || block.block_id.startsWith("option.") || block.element.type === "file_input");
}

function isEmpty(state) {
  const value = Object.entries(state ?? {}).find(([key]) => key !== "type")?.[1];
  return value === null || value === undefined || value.length === 0;
}

/** Whether there is a field to fill in. */
export const canFill = (view) => view.blocks.some((block) => block.type === "input" && block.element.type in STATES && !isLeftOpen(view, block));

/** What is in the fields, with an example in each that is empty. */
export async function withExamples(view, given) {
  const values = structuredClone(given);
  for (const block of view.blocks) {
    if (block.type !== "input" || isLeftOpen(view, block)) continue;
    const { type, action_id: action } = block.element;
    if (!(type in STATES) || !isEmpty(values[block.block_id]?.[action])) continue;
    (values[block.block_id] ??= {})[action] = { type, ...(await STATES[type](view, block)) };
  }
  return values;
}
