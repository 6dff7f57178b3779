// Compares the results of a plugin. Former clients must be able to read every response: its type
// must be assignable to the former type, and objects may have additional properties.

import type { Operation } from "../operations.js";
import { type Change, makeChange, type Side, type Subject } from "./change.js";
import { compareMediaTypes } from "./compare-media-types.js";
import { findIncompatibility, type Type } from "./incompatibility.js";
import { schemaTexts } from "./schema-texts.js";

export function compareResults(before: Side, after: Side): readonly Change[] {
  const [from, to] = [before.operation.result.kind, after.operation.result.kind];
  const subject = { plugin: after.operation.name, parameter: "result" };
  if (formOf(from) !== formOf(to)) {
    const isKnown = from === "union" && to === "response";
    return [makeChange(isKnown ? "result-known" : "result-kind", subject, from, to)];
  }
  const former = partsOf(before);
  const changes: Change[] = [...compareMediaTypes(before, after)];
  let isTold = true;
  for (const [path, type] of partsOf(after)) {
    const known = former.get(path);
    if (known === undefined) {
      changes.push(makeChange("result-widened", { ...subject, path }, "no value", "a value"));
      continue;
    }
    const change = compareTypes(known, type, { ...subject, path });
    if (change !== null) changes.push(change);
    isTold &&= schemaTexts(known) === schemaTexts(type);
  }
  return changes.length > 0 || isTold ? changes : [makeChange("result-text", subject)];
}

/** Clients read plain values and unions in the same way. */
function formOf(kind: Operation["result"]["kind"]): string {
  return kind === "union" ? "value" : kind;
}

/** A union of result kinds can be any value. */
function partsOf({ operation: { result }, definitions }: Side): ReadonlyMap<string, Type> {
  if (result.kind === "response") {
    return new Map([
      [".sortkey", { schema: result.sortkey, definitions }],
      [".item", { schema: result.item, definitions }],
    ]);
  }
  const { schema } = result;
  return schema === undefined ? new Map() : new Map([["", { schema, definitions }]]);
}

function compareTypes(before: Type, after: Type, subject: Required<Subject>): Change | null {
  const at = (path: string) => ({ ...subject, path: subject.path + path });
  const unknown = findIncompatibility(after, before, "tolerant");
  if (unknown !== null) {
    return makeChange("result-widened", at(unknown.path), unknown.accepted, unknown.given);
  }
  const more = findIncompatibility(after, before, "strict");
  if (more !== null) return makeChange("result-narrowed", at(more.path), more.accepted, more.given);
  const less = findIncompatibility(before, after, "strict");
  if (less !== null) return makeChange("result-narrowed", at(less.path), less.given, less.accepted);
  return null;
}
