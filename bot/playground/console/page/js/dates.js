// Times in the reader's zone, and the `<!date^…>` tokens of message text.

const SECOND = 1000;
const DAY = 86_400 * SECOND;

function format(date, options) {
  return new Intl.DateTimeFormat(undefined, options).format(date);
}

export function clock(ts) {
  return format(new Date(Number(ts) * SECOND), { hour: "2-digit", minute: "2-digit" });
}

export function clockWithSeconds(at) {
  return format(new Date(at * SECOND), { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
}

export function full(ts) {
  return format(new Date(Number(ts) * SECOND), { dateStyle: "full", timeStyle: "short" });
}

/** The same string for two moments of one day in the reader's zone. */
export function dayKey(ts) {
  return new Date(Number(ts) * SECOND).toDateString();
}

function relativeDay(date) {
  const midnight = (moment) => new Date(moment.getFullYear(), moment.getMonth(), moment.getDate()).getTime();
  return { 0: "today", 1: "tomorrow", "-1": "yesterday" }[Math.round((midnight(date) - midnight(new Date())) / DAY)] ?? null;
}

export function dayName(ts) {
  const date = new Date(Number(ts) * SECOND);
  const near = relativeDay(date);
  return near ? near[0].toUpperCase() + near.slice(1) : format(date, { weekday: "long", day: "numeric", month: "long" });
}

function ago(date) {
  const seconds = (date.getTime() - Date.now()) / SECOND;
  const steps = [["day", 86_400], ["hour", 3600], ["minute", 60], ["second", 1]];
  const [unit, size] = steps.find(([, span]) => Math.abs(seconds) >= span) ?? ["second", 1];
  return new Intl.RelativeTimeFormat(undefined, { numeric: "auto" }).format(Math.round(seconds / size), unit);
}

const LONG = { weekday: "long", year: "numeric", month: "long", day: "numeric" };
const MEDIUM = { year: "numeric", month: "long", day: "numeric" };
const SHORT = { year: "numeric", month: "short", day: "numeric" };

const TOKENS = {
  date_num: (date) => date.toISOString().slice(0, 10),
  date: (date) => format(date, MEDIUM),
  date_short: (date) => format(date, SHORT),
  date_long: (date) => format(date, LONG),
  date_pretty: (date) => relativeDay(date) ?? format(date, MEDIUM),
  date_short_pretty: (date) => relativeDay(date) ?? format(date, SHORT),
  date_long_pretty: (date) => relativeDay(date) ?? format(date, LONG),
  time: (date) => format(date, { hour: "2-digit", minute: "2-digit" }),
  time_secs: (date) => format(date, { hour: "2-digit", minute: "2-digit", second: "2-digit" }),
  ago,
};

/** Fill a `<!date^unix^pattern|fallback>` pattern; the fallback when the moment is no date. */
export function fillDate(unix, pattern, fallback) {
  const date = new Date(Number(unix) * SECOND);
  if (!/^\d+$/.test(unix) || Number.isNaN(date.getTime())) return fallback;
  return pattern.replace(/\{(\w+)\}/g, (whole, token) => (Object.hasOwn(TOKENS, token) ? TOKENS[token](date) : whole));
}
