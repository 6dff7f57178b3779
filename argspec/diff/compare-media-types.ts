// Compares the media types of responses without an envelope, which determine how clients read the
// body.

import { type Change, makeChange, type Side } from "./change.js";

export function compareMediaTypes(before: Side, after: Side): readonly Change[] {
  const [from, to] = [mediaTypesOf(before), mediaTypesOf(after)];
  if (from === null || to === null) return [];
  const subject = { plugin: after.operation.name, parameter: "result" };
  const texts = [typesText(from), typesText(to)] as const;
  if (!coversAll(from, to)) return [makeChange("result-widened", subject, ...texts)];
  return coversAll(to, from) ? [] : [makeChange("result-narrowed", subject, ...texts)];
}

/** Empty list: any type; null: the result has an envelope. */
function mediaTypesOf({ operation: { result } }: Side): readonly string[] | null {
  return result.kind === "http" ? result.mediaTypes : null;
}

function coversAll(outer: readonly string[], inner: readonly string[]): boolean {
  if (outer.length === 0) return true;
  const covers = (type: string) => outer.includes(type) || outer.includes(rangeOf(type));
  return inner.length > 0 && inner.every(covers);
}

function rangeOf(type: string): string {
  return `${type.slice(0, type.indexOf("/"))}/*`;
}

function typesText(types: readonly string[]): string {
  return types.length === 0 ? "any media type" : types.join(", ");
}
