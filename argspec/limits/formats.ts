// The formats of `@format`, named as in JSON Schema. Checks take linear time, because clients
// choose the text.

export type FormatName =
  | "date"
  | "date-time"
  | "duration"
  | "email"
  | "hostname"
  | "ipv4"
  | "ipv6"
  | "time"
  | "uri"
  | "uuid";

export interface Format {
  readonly words: string;
  readonly sample: string;
  readonly fits: (text: string) => boolean;
}

export const FORMATS: Readonly<Record<FormatName, Format>> = {
  date: { words: "a date (year-month-day)", sample: "2026-02-28", fits: isDate },
  "date-time": { words: "a date and time", sample: "2026-02-28T12:00:00Z", fits: isDateTime },
  duration: { words: "a duration", sample: "P1DT12H", fits: isDuration },
  email: { words: "a mail address", sample: "somebody@example.org", fits: isEmail },
  hostname: { words: "a host name", sample: "example.org", fits: isHostname },
  ipv4: { words: "an IPv4 address", sample: "192.0.2.1", fits: isIpv4 },
  ipv6: { words: "an IPv6 address", sample: "2001:db8::1", fits: isIpv6 },
  time: { words: "a time of day", sample: "12:00:00Z", fits: isTime },
  uri: { words: "a URI with its scheme", sample: "https://example.org/", fits: isUri },
  uuid: { words: "a UUID", sample: "123e4567-e89b-12d3-a456-426614174000", fits: isUuid },
};

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const TIME = /^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d{1,9})?(z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i;
const DURATION =
  /^[+-]?P(?=[\dT])(\d+Y)?(\d+M)?(\d+W)?(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+(\.\d{1,9})?S)?)?$/i;
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i;
const LOCAL = /^[\w!#$%&'*+/=?^`{|}~.-]{1,64}$/;
const GROUP = /^[0-9a-f]{1,4}$/i;
const BYTE = /^(0|[1-9]\d{0,2})$/;
const SCHEME = /^[a-z][a-z0-9+.-]{0,63}:/i;
/** Characters that no URI contains: blanks, control characters, quotes and non-ASCII. */
const NOT_IN_URI = /[^!#-;=?-[\]_a-z~]|%(?![0-9a-f]{2})/i;
const MAX_HOST = 253;

/** ISO 8601, with the sign and the combination of weeks that `Temporal` writes. */
function isDuration(text: string): boolean {
  return DURATION.test(text);
}

function isDate(text: string): boolean {
  const [, year, month, day] = (DATE.exec(text) ?? []).map(Number);
  if (year === undefined || month! < 1 || month! > 12 || day! < 1) return false;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].includes(month!) ? 30 : 31;
  return day! <= days;
}

function isTime(text: string): boolean {
  return text.length <= 32 && TIME.test(text);
}

function isDateTime(text: string): boolean {
  return /^[Tt]$/.test(text[10] ?? "") && isDate(text.slice(0, 10)) && isTime(text.slice(11));
}

function isHostname(text: string): boolean {
  return text.length <= MAX_HOST && text.split(".").every((label) => LABEL.test(label));
}

function isEmail(text: string): boolean {
  const at = text.lastIndexOf("@");
  const local = text.slice(0, Math.max(at, 0));
  const isDotted = !local.startsWith(".") && !local.endsWith(".") && !local.includes("..");
  return at > 0 && LOCAL.test(local) && isDotted && isHostname(text.slice(at + 1));
}

function isIpv4(text: string): boolean {
  const parts = text.length <= 15 ? text.split(".") : [];
  return parts.length === 4 && parts.every((part) => BYTE.test(part) && Number(part) < 256);
}

function isIpv6(text: string): boolean {
  if (text.length > 45) return false;
  const [head, tail, ...others] = text.split("::");
  const groups = (part: string | undefined) => (part ? part.split(":") : []);
  const all = [...groups(head), ...groups(tail)];
  const last = all.at(-1) ?? "";
  const endsInIpv4 = last.includes(".") && isIpv4(last);
  const plain = endsInIpv4 ? all.slice(0, -1) : all;
  const count = plain.length + (endsInIpv4 ? 2 : 0);
  const isRight = others.length === 0 && (tail === undefined ? count === 8 : count < 8);
  return isRight && plain.every((group) => GROUP.test(group));
}

function isUri(text: string): boolean {
  return SCHEME.test(text) && !NOT_IN_URI.test(text);
}

function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}
