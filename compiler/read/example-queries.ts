// Finds requests in an example, one per line: `?q=os&n=1`, a URL, or a curl command.

import { unionMembers } from "../record/admits.js";
import type { ExampleArgument, ExampleCall, ExampleValue } from "../record/example.js";
import type { UserParam } from "../record/plugin-record.js";
import type { TypeShape } from "../record/type-shape.js";
import { convertText } from "./convert-text.js";
import { blank, type ExampleText } from "./example-text.js";
import type { ReadContext } from "./read-context.js";

export interface QueryTarget {
  readonly name: string;
  readonly params: readonly UserParam[];
  /** Named types, by the names that shapes use. */
  readonly types: Readonly<Record<string, TypeShape>>;
}

export interface FoundQueries {
  readonly calls: readonly ExampleCall[];
  /** The searched text, with blanks in place of the requests. */
  readonly rest: string;
}

/** Reports values that cannot be converted for their parameter. */
export function findQueries(
  context: ReadContext,
  text: ExampleText,
  target: QueryTarget,
): FoundQueries {
  const calls: ExampleCall[] = [];
  const isOpen = MORE_QUERY.test(text.searched);
  const rest = text.searched.replace(/[^\n]+/g, (line, start: number) => {
    const url = findUrl(line, start, target.name);
    if (url === null) return line;
    const range = text.range(url.start, url.start + Math.max(1, url.path.length));
    const args = splitQuery(url).map((pair) => readPair(context, text, pair, target));
    calls.push({ form: "query", range, args, isOpen });
    return blank(line);
  });
  return { calls, rest };
}

/** A part of the example and its offset there. */
interface Part {
  readonly text: string;
  readonly start: number;
}

interface Url {
  readonly start: number;
  readonly path: string;
  /** Returns null if there is no `?`. */
  readonly query: string | null;
}

/** curl options that append the values of other options to the query. */
const MORE_QUERY = /(?:^|\s)(?:-G|--get)(?!\S)/;
const WORDS = /"([^"]*)"|'([^']*)'|\S+/g;
const COMMANDS = /^(?:curl|GET|POST)$/;

function findUrl(line: string, start: number, name: string): Url | null {
  const words = [...line.matchAll(WORDS)].map((match): Part => {
    const quoted = match[1] ?? match[2];
    const offset = start + match.index + (quoted === undefined ? 0 : 1);
    return { text: quoted ?? match[0], start: offset };
  });
  const [command, ...others] = words.filter(({ text }) => text !== "$" && text !== "\\");
  if (command === undefined) return null;
  const isCommand = COMMANDS.test(command.text);
  if (!isCommand && others.length > 0) return null;
  return (isCommand ? others : [command]).map((word) => parseUrl(word, name)).find(Boolean) ?? null;
}

/** Returns the word if it is a query, or a URL of the plugin. */
function parseUrl({ text: word, start }: Part, name: string): Url | null {
  // Clients do not send fragments.
  const [text = ""] = word.split("#", 1);
  const mark = text.indexOf("?");
  const path = mark < 0 ? text : text.slice(0, mark);
  const query = mark < 0 ? null : text.slice(mark + 1);
  const isQuery = query !== null && /^[^?=&]+=/.test(query);
  const isOfPlugin = path === "" || path === name ? isQuery : isPluginPath(path, name);
  return isOfPlugin ? { start, path, query } : null;
}

function isPluginPath(path: string, name: string): boolean {
  return path.endsWith(`/plugin/${name}`) || path.endsWith(`/builtin/${name}`);
}

function splitQuery({ start, path, query }: Url): Part[] {
  const pairs = [...(query ?? "").matchAll(/[^&]+/g)];
  return pairs.map((match) => ({ text: match[0], start: start + path.length + 1 + match.index }));
}

function readPair(
  context: ReadContext,
  text: ExampleText,
  pair: Part,
  { params, types }: QueryTarget,
): ExampleArgument {
  const [key = ""] = pair.text.split("=", 1);
  const name = unescapeText(key) ?? key;
  const keyRange = text.range(pair.start, pair.start + key.length);
  const param = params.find((candidate) => candidate.name === name);
  if (key.length === pair.text.length) {
    const value = param ? readText(context, null, param, types, keyRange) : UNKNOWN;
    return { name, range: keyRange, value: { ...value, range: keyRange } };
  }
  const from = pair.start + key.length + 1;
  const range = text.range(from, pair.start + pair.text.length);
  const rawValue = pair.text.slice(key.length + 1);
  const value = param ? readText(context, rawValue, param, types, range) : UNKNOWN;
  return { name, range: keyRange, value: { ...value, range } };
}

const UNKNOWN = { kind: "unknown" } as const;

/** @param rawValue the raw value; null for a key without a value */
function readText(
  context: ReadContext,
  rawValue: string | null,
  { name, wire, shape, untyped, typeText }: UserParam,
  types: QueryTarget["types"],
  range: ExampleValue["range"],
): { readonly kind: "literal"; readonly value: unknown } | { readonly kind: "unknown" } {
  const text = rawValue === null ? null : unescapeText(rawValue);
  const isBroken = rawValue !== null && text === null;
  // Bytes need not be valid UTF-8.
  if (isBroken && wire === "bytes") return UNKNOWN;
  const type = { wire, untyped: untyped ?? false, members: unionMembers(shape, types) };
  const converted = isBroken ? { required: "valid percent-encoding" } : convertText(text, type);
  if ("value" in converted) return { kind: "literal", value: converted.value };
  const actual = rawValue === null ? "and has no value" : `not \`${rawValue}\``;
  const message = `\`${name}\` must be ${converted.required}, ${actual}`;
  const help = `\`${name}: ${typeText}\``;
  context.add({ code: "SVC1047", severity: "error", ...range, message, help });
  return UNKNOWN;
}

/** Returns null for invalid escapes, and for bytes that are not UTF-8. */
function unescapeText(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return null;
  }
}
