// Lines of CSV: fields between commas, quoted ones with doubled quotes inside. A field never goes
// on in the next line.

import { SvcError } from "../../runtime/base/errors.js";

/** Columns that are members of a vertex or an arc; all others are properties. */
const MEMBERS = new Set(["id", "type", "vector", "lifespan"]);
const ARC_MEMBERS = new Set(["initial", "relationship", "modifier", "value", "terminal"]);
const NUMBERS = new Set(["value", "lifespan"]);
const NUMBER = /^-?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

/** @throws SvcError SVC3060 a quote that does not end */
export function csvFields(text: string, place: string): string[] {
  const line = text.endsWith("\r") ? text.slice(0, -1) : text;
  const fields: string[] = [];
  const field = /(?:"((?:[^"]|"")*)"|([^",]*))(,|$)/y;
  for (;;) {
    const found = field.exec(line);
    if (found === null) throw new SvcError("SVC3060", `${place}: unterminated quoted field`);
    fields.push(found[1]?.replaceAll('""', '"') ?? found[2]!);
    if (found[3] === "") return fields;
  }
}

/**
 * The members that a row gives; empty fields give none.
 * @throws SvcError SVC3060
 */
export function csvValue(
  header: readonly string[],
  text: string,
  place: string,
): Readonly<Record<string, unknown>> {
  const fields = csvFields(text, place);
  if (fields.length !== header.length) {
    const counts = `expected ${header.length} fields, got ${fields.length}`;
    throw new SvcError("SVC3060", `${place}: ${counts}`);
  }
  const isArc = header.includes("initial");
  const members: [string, unknown][] = [];
  const properties: [string, unknown][] = [];
  for (const [index, name] of header.entries()) {
    const value = fields[index]!;
    if (value === "") continue;
    if ((isArc ? ARC_MEMBERS : MEMBERS).has(name)) members.push([name, memberOf(name, value)]);
    else properties.push([name, NUMBER.test(value) ? Number(value) : value]);
  }
  if (properties.length > 0) members.push(["properties", Object.fromEntries(properties)]);
  return Object.fromEntries(members);
}

/** A vector in a field: numbers between spaces, commas or semicolons, in brackets or not. */
function memberOf(name: string, value: string): unknown {
  if (NUMBERS.has(name)) return Number(value);
  if (name !== "vector") return value;
  const numbers = value.replace(/^\s*\[|\]\s*$/g, "").split(/[\s,;]+/);
  return numbers.filter((text) => text !== "").map(Number);
}
