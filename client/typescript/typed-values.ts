// Converts class instances (Date, bigint, Map …) to their JSON forms and back. Plans describe where
// they are; other values stay unchanged. Servers use this module, too.

import type { FieldsPlan, ListPlan, Plan } from "./operation.js";

type Plans = readonly Plan[];
type Fields = Record<string, unknown>;

/**
 * Returns a value of JSON with its classes; arrays and objects are changed in place.
 * @param path of the value, for errors
 * @throws TypeError for a text that is not a value of its class
 */
export function decode(value: unknown, plan: Plan, plans: Plans, path: string): unknown {
  if (value === null || value === undefined) return value;
  const { ref, text, list, fields, make } = plan;
  if (ref !== undefined) return decode(value, plans[ref]!, plans, path);
  let decoded: unknown = value;
  if (typeof value === "string") decoded = text ? decodeText(value, text, path) : value;
  else if (Array.isArray(value)) decoded = list ? decodeList(value, list, plans, path) : value;
  else if (typeof value === "object" && fields) {
    decoded = decodeFields(value as Fields, fields, plans, path);
  }
  return make ? attempt(() => make.fromJSON(decoded), path) : decoded;
}

function decodeText(value: string, text: NonNullable<Plan["text"]>, path: string): unknown {
  if (text === "URL") return attempt(() => new URL(value), path, "a URL is required");
  if (text === "Date") {
    const date = new Date(value);
    if (!Number.isNaN(date.getTime())) return date;
    throw fault(path, "a date and time is required");
  }
  if (text === "bigint") return attempt(() => BigInt(value), path, "an integer is required");
  if (value.length % 4 > 0 || !/^[\w+/]*={0,2}$/.test(value) || value.includes("_")) {
    throw fault(path, "base64 is required");
  }
  return attempt(() => bytesOf(value), path, "base64 is required");
}

/** `Buffer`, which is much faster than `atob` but missing in browsers. */
interface FastBytes {
  from(value: string, encoding: "base64"): Uint8Array;
  from(buffer: ArrayBufferLike, at: number, length: number): { toString(form: "base64"): string };
}

const fast = (globalThis as { readonly Buffer?: unknown }).Buffer as FastBytes | undefined;

function bytesOf(base64: string): Uint8Array {
  if (fast) return new Uint8Array(fast.from(base64, "base64"));
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
}

function base64Of(bytes: Uint8Array): string {
  const { buffer, byteOffset, length } = bytes;
  if (fast) return fast.from(buffer, byteOffset, length).toString("base64");
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

function attempt(make: () => unknown, path: string, required?: string): unknown {
  try {
    return make();
  } catch (error) {
    throw fault(path, required ?? String((error as Error)?.message ?? error));
  }
}

function fault(path: string, what: string): TypeError {
  return new TypeError(`${path} (${what})`);
}

function decodeList(
  values: unknown[],
  { first = [], items, to }: ListPlan,
  plans: Plans,
  path: string,
): unknown {
  for (let i = 0; i < values.length; i++) {
    const plan = i < first.length ? first[i] : items;
    if (plan) values[i] = decode(values[i], plan, plans, `${path}[${i}]`);
  }
  if (to === "Set") return new Set(values);
  return to ? attempt(() => new Map(values as [unknown, unknown][]), path) : values;
}

function decodeFields(value: Fields, fields: FieldsPlan, plans: Plans, path: string): unknown {
  for (const [key, plan] of plannedFields(value, fields)) {
    value[key] = decode(value[key], plan, plans, `${path}.${key}`);
  }
  if (!fields.to) return value;
  const entries = Object.entries(value);
  return new Map<unknown, unknown>(
    fields.numbers ? entries.map(([key, item]) => [Number(key), item]) : entries,
  );
}

/** Returns the keys of a value that have a plan. */
function plannedFields(value: object, fields: FieldsPlan): [string, Plan][] {
  const { tag, cases } = fields;
  const word = tag === undefined ? undefined : String((value as Fields)[tag]);
  const isCase = cases !== undefined && word !== undefined && Object.hasOwn(cases, word);
  const { known = {}, others } = isCase ? cases[word]! : fields;
  const keys = Object.keys(others ? value : known);
  return keys.flatMap((key): [string, Plan][] => {
    const plan = Object.hasOwn(known, key) ? known[key] : others;
    return plan && Object.hasOwn(value, key) ? [[key, plan]] : [];
  });
}

/** Returns a value with classes as JSON has it; the value itself is not changed. */
export function encode(value: unknown, plan: Plan, plans: Plans): unknown {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (plan.ref !== undefined) return encode(value, plans[plan.ref]!, plans);
  if (value instanceof Uint8Array) return base64Of(value);
  if (value instanceof Set) return encodeList([...value], plan.list, plans);
  if (value instanceof Map) {
    if (plan.list) return encodeList([...value], plan.list, plans);
    return encodeFields(Object.fromEntries(value), plan.fields, plans);
  }
  const { toJSON } = value as { toJSON?: (key: string) => unknown };
  if (toJSON) return encode(toJSON.call(value, ""), plan, plans);
  if (Array.isArray(value)) return encodeList(value, plan.list, plans);
  return encodeFields({ ...value }, plan.fields, plans);
}

function encodeList(
  values: readonly unknown[],
  { first = [], items }: ListPlan = {},
  plans: Plans,
): unknown[] {
  return values.map((value, i) => {
    const plan = i < first.length ? first[i] : items;
    return plan ? encode(value, plan, plans) : value;
  });
}

/** @param copy is changed */
function encodeFields(copy: Fields, fields: FieldsPlan = {}, plans: Plans): Fields {
  for (const [key, plan] of plannedFields(copy, fields)) copy[key] = encode(copy[key], plan, plans);
  return copy;
}
