// Compares the results of a plugin. Former clients must be able to read every response: its type
// must be assignable to the previous type, and objects may have additional properties.

import type { Operation } from "../operations.js";
import { type Change, makeChange, type Side, type Subject } from "./change.js";
import { compareMediaTypes } from "./compare-media-types.js";
import { findIncompatibility, type Type } from "./incompatibility.js";
import { schemaTexts } from "./schema-texts.js";

export function compareResults(before: Side, after: Side): readonly Change[] {
  const [from, to] = [before.operation.result.kind, after.operation.result.kind];
  const subject = { plugin: after.operation.name, parameter: "result" };
  if (resultForm(from) !== resultForm(to)) {
    const isNarrowed = from === "union" && to === "response";
    return [makeChange(isNarrowed ? "result-known" : "result-kind", subject, from, to)];
  }
  const former = listParts(before);
  const changes: Change[] = [...compareMediaTypes(before, after)];
  let hasSameTexts = true;
  for (const [path, type] of listParts(after)) {
    const known = former.get(path);
    if (known === undefined) {
      changes.push(makeChange("result-widened", { ...subject, path }, "no value", "a value"));
      continue;
    }
    const change = compareTypes(known, type, { ...subject, path });
    if (change !== null) changes.push(change);
    hasSameTexts &&= schemaTexts(known) === schemaTexts(type);
  }
  return changes.length > 0 || hasSameTexts ? changes : [makeChange("result-text", subject)];
}

/** Clients read plain values and unions in the same way. */
function resultForm(kind: Operation["result"]["kind"]): string {
  return kind === "union" ? "value" : kind;
}

/** Returns types by path; a union of result kinds can be any value and has none. */
function listParts({ operation: { result }, definitions }: Side): ReadonlyMap<string, Type> {
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
  const wider = findIncompatibility(after, before, "tolerant");
  if (wider !== null) {
    return makeChange("result-widened", at(wider.path), wider.target, wider.source);
  }
  const more = findIncompatibility(after, before, "strict");
  if (more !== null) return makeChange("result-narrowed", at(more.path), more.target, more.source);
  const less = findIncompatibility(before, after, "strict");
  if (less !== null) return makeChange("result-narrowed", at(less.path), less.source, less.target);
  return null;
}
