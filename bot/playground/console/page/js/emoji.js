// Emoji short names that bots use, and small drawings for the signs a status hangs on,
// so that they look the same on machines without an emoji font.

import { el } from "./dom.js";

const NAMES = {
  "+1": "👍", thumbsup: "👍", "-1": "👎", thumbsdown: "👎", ok_hand: "👌", clap: "👏", wave: "👋", pray: "🙏", muscle: "💪",
  raised_hands: "🙌", point_right: "👉", point_left: "👈", point_up: "☝️", point_down: "👇", eyes: "👀", handshake: "🤝",
  smile: "😄", smiley: "😃", grin: "😁", joy: "😂", blush: "😊", wink: "😉", thinking_face: "🤔", sweat_smile: "😅", cry: "😢",
  slightly_smiling_face: "🙂", rage: "😡", fearful: "😨", astonished: "😲", neutral_face: "😐", heart: "❤️", green_heart: "💚", blue_heart: "💙", yellow_heart: "💛", tada: "🎉", fire: "🔥",
  rocket: "🚀", sparkles: "✨", star: "⭐", zap: "⚡", boom: "💥", "100": "💯", trophy: "🏆", medal: "🏅", gift: "🎁",
  white_check_mark: "✅", heavy_check_mark: "✔️", ballot_box_with_check: "☑️", x: "❌", negative_squared_cross_mark: "❎",
  warning: "⚠️", no_entry: "⛔", no_entry_sign: "🚫", octagonal_sign: "🛑", exclamation: "❗", question: "❓",
  grey_question: "❔", bangbang: "‼️", information_source: "ℹ️", bulb: "💡", bell: "🔔", no_bell: "🔕", mega: "📣", loudspeaker: "📢",
  hourglass: "⌛", hourglass_flowing_sand: "⏳", alarm_clock: "⏰", stopwatch: "⏱️", timer_clock: "⏲️", clock1: "🕐", watch: "⌚",
  calendar: "📅", date: "📆", spiral_calendar_pad: "🗓️", moneybag: "💰", money_with_wings: "💸", dollar: "💵", euro: "💶",
  credit_card: "💳", bank: "🏦", receipt: "🧾", chart_with_upwards_trend: "📈", chart_with_downwards_trend: "📉", bar_chart: "📊",
  lock: "🔒", unlock: "🔓", key: "🔑", shield: "🛡️", mag: "🔍", link: "🔗", paperclip: "📎", pushpin: "📌", round_pushpin: "📍",
  memo: "📝", pencil: "📝", pencil2: "✏️", page_facing_up: "📄", scroll: "📜", clipboard: "📋", file_folder: "📁",
  open_file_folder: "📂", wastebasket: "🗑️", package: "📦", truck: "🚚", bike: "🚲", car: "🚗", house: "🏠", office: "🏢",
  email: "📧", envelope: "✉️", incoming_envelope: "📨", inbox_tray: "📥", outbox_tray: "📤", speech_balloon: "💬",
  thought_balloon: "💭", telephone_receiver: "📞", iphone: "📱", computer: "💻", gear: "⚙️", wrench: "🔧", hammer: "🔨",
  hammer_and_wrench: "🛠️", robot_face: "🤖", ghost: "👻", bug: "🐛", construction: "🚧", recycle: "♻️", repeat: "🔁",
  arrows_counterclockwise: "🔄", arrow_right: "➡️", arrow_left: "⬅️", arrow_up: "⬆️", arrow_down: "⬇️", leftwards_arrow_with_hook: "↩️",
  arrow_right_hook: "↪️", fast_forward: "⏩", double_vertical_bar: "⏸️", black_right_pointing_triangle: "▶️", stop_button: "⏹️",
  large_green_circle: "🟢", large_yellow_circle: "🟡", large_orange_circle: "🟠", red_circle: "🔴", large_blue_circle: "🔵",
  white_circle: "⚪", black_circle: "⚫", large_green_square: "🟩", large_yellow_square: "🟨", large_red_square: "🟥",
  white_large_square: "⬜", black_large_square: "⬛", musical_note: "🎵", microphone: "🎤", headphones: "🎧", film_frames: "🎞️", clapper: "🎬",
  globe_with_meridians: "🌐", snowflake: "❄️", seedling: "🌱", one: "1️⃣", two: "2️⃣", three: "3️⃣", heavy_plus_sign: "➕",
  heavy_minus_sign: "➖", new: "🆕", ok: "🆗", free: "🆓", busts_in_silhouette: "👥", arrow_forward: "▶️", mailbox_with_no_mail: "📭", shrug: "🤷", snail: "🐌", sunny: "☀️", zzz: "💤", bust_in_silhouette: "👤", coffee: "☕",
  rotating_light: "🚨", electric_plug: "🔌", convenience_store: "🏪", satellite_antenna: "📡", cook: "🧑‍🍳", motor_scooter: "🛵", door: "🚪",
};

// character -> [shape class, sign]; drawn by css as a small coloured token
const DRAWN = {
  "✅": ["good", "✓"], "✔": ["good plain", "✓"], "☑": ["good", "✓"], "❌": ["bad", "✕"], "❎": ["good", "✕"],
  "⛔": ["bad", "–"], "🚫": ["bad", "∕"], "🛑": ["bad", "!"], "⚠": ["warn", "!"], "❗": ["bad plain", "!"], "ℹ": ["info", "i"],
  "❓": ["info", "?"], "🟢": ["good", ""], "🟡": ["warn", ""], "🟠": ["warn", ""], "🔴": ["bad", ""], "🔵": ["info", ""], "⚪": ["mute", ""],
  "⏳": ["mute", "…"], "⌛": ["mute", "…"], "🔄": ["info", "↻"], "⏸": ["mute", "‖"],
};
const DRAWN_PATTERN = new RegExp(`(${Object.keys(DRAWN).join("|")})\\uFE0F?`, "u");

/** The character of a short name, or null. */
export function emojiFor(name) {
  return Object.hasOwn(NAMES, name) ? NAMES[name] : null;
}

/** A node for one emoji character. */
export function emojiNode(character, name = null) {
  const drawn = DRAWN[character.replace("\uFE0F", "")];
  const label = name ? name.replaceAll("_", " ") : null;
  if (!drawn) return el("span", { class: "emoji", role: "img", "aria-label": label ?? character }, character);
  // The character itself stays in the text for copying and for screen readers; css shows the token.
  return el("span", { class: `sign sign-${drawn[0].replace(" ", " sign-")}`, "data-sign": drawn[1], role: "img", "aria-label": label ?? character },
    el("span", { class: "sign-text" }, character));
}

/** Text as nodes: `:short_names:` become emoji when asked, signs become drawings. */
export function textNodes(text, { shortNames = true } = {}) {
  const pieces = shortNames ? text.split(/(:[a-z0-9_+'-]+:)/gi) : [text];
  return pieces.flatMap((piece) => {
    const name = shortNames && piece.length > 2 && piece.startsWith(":") && piece.endsWith(":") ? piece.slice(1, -1).toLowerCase() : null;
    const character = name && emojiFor(name);
    return character ? [emojiNode(character, name)] : signs(piece);
  });
}

// A reference, such as P-4F7K2M, is one word: no line ends at its hyphen.
const words = (text) => text.split(/(\b[A-Z]-[2-9A-Z]{6}\b)/).map((piece, at) => (at % 2 ? el("span", { class: "reference" }, piece) : document.createTextNode(piece)));

function signs(text) {
  const nodes = [];
  for (const piece of text.split(DRAWN_PATTERN)) {
    if (!piece) continue;
    nodes.push(...(Object.hasOwn(DRAWN, piece) ? [emojiNode(piece)] : words(piece.replace(/^\uFE0F/, ""))));
  }
  return nodes;
}
