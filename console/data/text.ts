// Formats values for display. Untrusted names and texts are truncated, and invisible or
// direction-changing characters are made visible.

const MAX_SHOWN = 200;
/** Control, direction and zero-width characters, which can make two names look the same. */
const HIDDEN = /[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

/** Returns one line of text with all characters visible, truncated to `max` characters. */
export function clipForDisplay(value: unknown, max = MAX_SHOWN): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
  const start =
    text.length > max ? `${text.slice(0, max)}… (${count(text.length)} characters)` : text;
  return markHidden(start);
}

/** Returns several lines of text with all characters visible. */
export function showLines(text: string): string {
  return text.split("\n").map(markHidden).join("\n");
}

function markHidden(text: string): string {
  return text.replace(HIDDEN, (mark) => `\\u{${mark.codePointAt(0)!.toString(16)}}`);
}

// Creating a formatter takes longer than formatting a page of numbers.
const SHORT = new Intl.NumberFormat("en-US", { maximumFractionDigits: 1 });
const WHOLE = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const SMALL = new Intl.NumberFormat("en-US", { maximumFractionDigits: 2 });
const TIME = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" } as const;
const CLOCK = new Intl.DateTimeFormat("en-GB", TIME);
const PRECISE = new Intl.DateTimeFormat("en-GB", { ...TIME, fractionalSecondDigits: 3 });

export function count(value: number): string {
  return (value < 10 ? SMALL : WHOLE).format(value);
}

/** @param many for `vertex` and others without a regular plural */
export function plural(value: number, singular: string, many = `${singular}s`): string {
  return `${count(value)} ${value === 1 ? singular : many}`;
}

/** Time of day, 24 hours. */
export function clockTime(atMs: number): string {
  return CLOCK.format(atMs);
}

/** The same with milliseconds. */
export function preciseTime(atMs: number): string {
  return PRECISE.format(atMs);
}

export function bytes(value: number): string {
  if (value < 1024) return `${count(value)} B`;
  const units = ["KiB", "MiB", "GiB", "TiB"];
  let rest = value / 1024;
  let unit = 0;
  while (rest >= 1024 && unit < units.length - 1) {
    rest /= 1024;
    unit++;
  }
  return `${rest.toFixed(rest < 10 ? 1 : 0)} ${units[unit]}`;
}

export function milliseconds(value: number): string {
  return value < 10_000 ? `${count(value)} ms` : `${(value / 1000).toFixed(1)} s`;
}

/** `2 d 03:04:05` */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const days = Math.floor(whole / 86_400);
  const clock = [Math.floor(whole / 3600) % 24, Math.floor(whole / 60) % 60, whole % 60];
  const text = clock.map((part) => String(part).padStart(2, "0")).join(":");
  return days > 0 ? `${days} d ${text}` : text;
}

/** Formats the two largest units, `2 d 3 h`, which seldom change. */
export function age(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const units = [
    [86_400, "d"],
    [3600, "h"],
    [60, "min"],
    [1, "s"],
  ] as const;
  const at = units.findIndex(([size]) => whole >= size);
  if (at < 0) return "0 s";
  let rest = whole;
  const parts = units.slice(at, at + 2).map(([size, unit]) => {
    const many = Math.floor(rest / size);
    rest %= size;
    return many > 0 || size === 1 ? `${many} ${unit}` : "";
  });
  // Minutes are enough: seconds would change the page all the time.
  return at === 2 ? parts[0]! : parts.filter((part) => part !== "").join(" ");
}

/** A rate per second: three digits are enough. */
export function rate(value: number): string {
  if (value === 0) return "0";
  return value < 100 ? SHORT.format(value) : WHOLE.format(value);
}
