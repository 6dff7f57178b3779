// Compares the parameters and the body of a plugin. The new plugin must accept all values of
// existing clients with the same meaning, by type and by encoding (http-interface, "Plugin
// execution" rule 4).

import { isDeepStrictEqual } from "node:util";
import type { JsonSchema, ParamSpec } from "../argspec.js";
import type { Operation } from "../operations.js";
import { type Change, makeChange, type Side, type Subject } from "./change.js";
import type { Definitions } from "./forms.js";
import { findIncompatibility, type Type } from "./incompatibility.js";
import { schemaTexts } from "./schema-texts.js";
import { typeText, valueText } from "./type-text.js";

type Wire = ParamSpec["wire"];
/**
 * How a server that declares the second encoding reads a value that a client sends in the first:
 * as the same `value`, as its `text`, or, if null, as another value or an error.
 *
 *   5 ─ int, float ─► `5` ─ int, float, json ─► 5        text ─ str ─► `true` ─ json ─► true
 *                         └ str, bytes ─► the text `5`                  `text` ─ json ─► error
 */
const READ_AS: Readonly<Record<Wire, Readonly<Record<Wire, "value" | "text" | null>>>> = {
  int: { int: "value", float: "value", json: "value", str: "text", bytes: "text" },
  float: { int: "value", float: "value", json: "value", str: "text", bytes: "text" },
  json: { int: "value", float: "value", json: "value", str: null, bytes: null },
  str: { int: null, float: null, json: null, str: "value", bytes: "value" },
  // Bytes need not be valid UTF-8, strings must be.
  bytes: { int: null, float: null, json: null, str: null, bytes: "value" },
};

export function compareParameters(before: Side, after: Side): readonly Change[] {
  const { name: plugin, isOpen } = after.operation;
  const former = parametersOf(before.operation);
  const present = parametersOf(after.operation);
  const changes: Change[] = [];
  if (before.operation.isOpen !== isOpen) {
    const rule = isOpen ? "parameters-open" : "parameters-closed";
    changes.push(makeChange(rule, { plugin, parameter: null }));
  }
  for (const [key, param] of former) {
    const subject = { plugin, parameter: param.name };
    const match = present.get(key);
    if (match === undefined) {
      const rule = isOpen ? "parameter-unlisted" : "parameter-removed";
      changes.push(makeChange(rule, subject, formText(param)));
    } else {
      const from = { param, definitions: before.definitions };
      const to = { param: match, definitions: after.definitions };
      changes.push(...compareParameter(from, to, subject));
    }
  }
  for (const [key, param] of present) {
    if (former.has(key)) continue;
    const rule = param.required ? "parameter-added-required" : "parameter-added";
    changes.push(makeChange(rule, { plugin, parameter: param.name }, null, formText(param)));
  }
  return changes;
}

/** Returns parameters by position and name: a body may have the name of a parameter. */
function parametersOf({ params, content }: Operation): ReadonlyMap<string, ParamSpec> {
  const all = content === null ? params : [...params, content];
  return new Map(all.map((param) => [`${param.in} ${param.name}`, param]));
}

interface Parameter {
  readonly param: ParamSpec;
  readonly definitions: Definitions;
}

function compareParameter(before: Parameter, after: Parameter, subject: Subject): Change[] {
  const [from, to] = [before.param, after.param];
  const changes: Change[] = [];
  if (from.required !== to.required) {
    changes.push(makeChange(to.required ? "parameter-required" : "parameter-optional", subject));
  } else if (!isDeepStrictEqual(from.default, to.default)) {
    const [was, is] = [from, to].map((param) =>
      param.default === undefined ? null : valueText(param.default),
    );
    changes.push(makeChange("parameter-default", subject, was, is));
  }
  const typeChange = compareTypes(before, after, subject);
  if (typeChange !== null) changes.push(typeChange);
  else if (textOf(before) !== textOf(after)) changes.push(makeChange("parameter-text", subject));
  return changes;
}

function compareTypes(before: Parameter, after: Parameter, subject: Subject): Change | null {
  if (READ_AS[before.param.wire][after.param.wire] !== "value") {
    return compareForms(before, after, subject);
  }
  const [from, to] = [typeOf(before), typeOf(after)];
  const refused = findIncompatibility(from, to, "strict");
  if (refused !== null) {
    const { path, source, target } = refused;
    return makeChange("parameter-narrowed", { ...subject, path }, source, target);
  }
  const added = findIncompatibility(to, from, "strict");
  if (added !== null) {
    const { path, source, target } = added;
    return makeChange("parameter-widened", { ...subject, path }, target, source);
  }
  if (before.param.wire === after.param.wire) return null;
  return makeChange("parameter-widened", subject, formText(before.param), formText(after.param));
}

function compareForms(before: Parameter, after: Parameter, subject: Subject): Change {
  const [from, to] = [typeOf(before), typeOf(after)];
  const isText = READ_AS[before.param.wire][after.param.wire] === "text";
  if (isText && findIncompatibility({ ...from, schema: textSchema(from) }, to, "strict") === null) {
    return makeChange("parameter-as-text", subject, formText(before.param), formText(after.param));
  }
  // A type can have several wire forms, so the type text alone is ambiguous.
  const [was, is] = [from, to].map(({ schema }) => typeText(schema));
  const forms = [`${was} as ${before.param.wire}`, `${is} as ${after.param.wire}`] as const;
  return makeChange("parameter-form", subject, ...forms);
}

function typeOf({ param, definitions }: Parameter): Type {
  return { schema: param.schema, definitions };
}

/** Schema of a number's text form. Null has no text: it is sent as a bare key. */
function textSchema(type: Type): JsonSchema {
  const none = { type: "null" };
  const canBeNull = findIncompatibility({ ...type, schema: none }, type, "strict") === null;
  return canBeNull ? { anyOf: [{ type: "string" }, none] } : { type: "string" };
}

/** Strings and bytes have the same schema. */
function formText({ wire, schema }: ParamSpec): string {
  return wire === "bytes" ? typeText(schema).replace(/\bstring\b/, "bytes") : typeText(schema);
}

function textOf(parameter: Parameter): string {
  return `${parameter.param.description ?? ""}\n${schemaTexts(typeOf(parameter))}`;
}
