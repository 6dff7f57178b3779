// Reports parameters whose text is ambiguous: for `int | str`, `?d=5` is read as a number, although
// the client may have meant a string.

import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { isText, unionMembers } from "../record/admits.js";
import type { PluginRecord, UserParam } from "../record/plugin-record.js";
import type { TypeShape, TypeTable } from "../record/type-shape.js";
import { paramError } from "./diagnostics.js";
import { ShapeRule } from "./shape-rule.js";

/** Sample values of each kind in wire form. */
const SAMPLES: readonly string[] = ["5", "1.5", "-5", "true", "false", "null", "[]", "{}"];

export function checkAmbiguousText(plugin: PluginRecord, types: TypeTable): Diagnostic[] {
  return plugin.params.flatMap((param) => {
    if (param.kind !== "user" || param.wire !== "json" || param.untyped) return [];
    const text = ambiguousText(param, types);
    if (text === null) return [];
    const message =
      `\`?${param.name}=${text}\` matches two members of \`${param.typeText}\`: it is parsed as ` +
      "JSON; quote the string";
    const help = `\`?${param.name}="${text}"\` for the text, or a type whose members differ`;
    const finding = paramError(param, "SVC1062", message, help);
    return [{ ...finding, severity: "warning" }];
  });
}

/**
 * Returns a text that is both a value of the string type and JSON of another member; null if no
 * such text exists.
 */
function ambiguousText({ shape }: UserParam, types: TypeTable): string | null {
  const members = unionMembers(shape, types);
  const texts = members.filter(isText);
  const others = members.filter((member) => !isText(member));
  if (texts.length === 0 || others.length === 0) return null;
  const rule = new ShapeRule(types, "open");
  const admits = (shapes: readonly TypeShape[], value: unknown) =>
    shapes.some((member) => rule.fault(member, value) === null);
  const candidates = [...literalsOf(members), ...SAMPLES];
  return candidates.find((text) => admits(texts, text) && isJsonOf(text, others, admits)) ?? null;
}

function isJsonOf(
  text: string,
  others: readonly TypeShape[],
  admits: (shapes: readonly TypeShape[], value: unknown) => boolean,
): boolean {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return false;
  }
  // For arrays and objects only the kind counts, because a sample has no particular contents.
  const kinds = Array.isArray(value) ? ["array", "tuple"] : ["object", "ref"];
  const isComposite = typeof value === "object" && value !== null;
  return isComposite ? others.some(({ kind }) => kinds.includes(kind)) : admits(others, value);
}

/** Returns the literals among the members as text. */
function literalsOf(members: readonly TypeShape[]): string[] {
  return members.flatMap((member) => (member.kind === "literal" ? [String(member.value)] : []));
}
