// Reads constraints from doc comments: `@minimum 1` before a parameter, a property or a type,
// `@minimum count 1` in the comment of a function. Each is validated here, including its pattern,
// so that no invalid one reaches a server.

import { ts } from "ts-morph";
import { FORMATS } from "../../argspec/limits/formats.js";
import { LIMIT_WORDS, type Limits, type LimitWord } from "../../argspec/limits/limits.js";
import { linearPattern } from "../../argspec/limits/linear-pattern.js";
import { PatternError } from "../../argspec/limits/pattern-program.js";
import { readTagLine } from "./doc-comment.js";
import { recordRead } from "./limit-usage.js";
import type { ReadContext } from "./read-context.js";

/** A constraint with its tag, for diagnostics. */
export interface LimitTag {
  readonly word: LimitWord;
  readonly limits: Limits;
  readonly tag: ts.JSDocTag;
}

/** Returns the constraints in a declaration's own comment. */
export function readLimitTags(context: ReadContext, node: ts.Node): LimitTag[] {
  const tags = ts.getJSDocTags(node).filter(({ parent }) => parent.parent === node);
  return tags.filter(isLimit).flatMap((tag) => readLimit(context, tag, readTagLine(tag)));
}

export function limitTagsOfSymbol(context: ReadContext, symbol: ts.Symbol): LimitTag[] {
  return (symbol.declarations ?? []).flatMap((node) => readLimitTags(context, node));
}

/** Returns the constraints in the comment of a function, by parameter. */
export function limitTagsByName(
  context: ReadContext,
  tags: readonly ts.JSDocTag[],
  parameters: readonly string[],
): ReadonlyMap<string, readonly LimitTag[]> {
  const byName = new Map<string, LimitTag[]>();
  for (const tag of tags.filter(isLimit)) {
    const [name = "", rest = ""] = readTagLine(tag).split(/\s+(.*)/s);
    if (parameters.includes(name)) {
      byName.set(name, [...(byName.get(name) ?? []), ...readLimit(context, tag, rest)]);
      continue;
    }
    const word = tag.tagName.text;
    const message = `\`@${word}\` in a function comment must start with a parameter name`;
    const parameter = parameterBefore(tags, tag, parameters) ?? parameters.at(-1) ?? "name";
    context.error("SVC1143", tag, message, `\`@${word} ${parameter} …\``);
  }
  return byName;
}

/** Returns the parameter of the nearest `@param` above a tag. */
function parameterBefore(
  tags: readonly ts.JSDocTag[],
  tag: ts.JSDocTag,
  parameters: readonly string[],
): string | undefined {
  const above = tags.slice(0, tags.indexOf(tag)).filter(ts.isJSDocParameterTag);
  const name = above.at(-1)?.name.getText();
  return name !== undefined && parameters.includes(name) ? name : undefined;
}

function isLimit(tag: ts.JSDocTag): boolean {
  return Object.hasOwn(LIMIT_WORDS, tag.tagName.text);
}

function readLimit(context: ReadContext, tag: ts.JSDocTag, text: string): LimitTag[] {
  recordRead(tag);
  const word = tag.tagName.text as LimitWord;
  const { limits, fault } = parseLimit(word, text);
  if (fault === null) return [{ word, limits, tag }];
  const isPattern = word === "pattern" && text !== "";
  const [code, message] = isPattern
    ? (["SVC1142", `\`${text}\` ${fault}`] as const)
    : (["SVC1140", `\`@${word} ${text}\` ${fault}`] as const);
  context.error(code, tag, message, EXAMPLES[word]);
  return [];
}

/** Parses a limit, or returns what is wrong with it. */
export function parseLimit(
  word: LimitWord,
  text: string,
): { readonly limits: Limits; readonly fault: string | null } {
  const value = parseLimitValue(word, text);
  if (value === undefined) return { limits: {}, fault: "is not a valid limit" };
  if (word === "pattern") {
    try {
      linearPattern(text);
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      return { limits: {}, fault: error.message };
    }
  }
  return { limits: { [word]: value }, fault: null };
}

const NUMBER = /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i;

function parseLimitValue(word: LimitWord, text: string): unknown {
  switch (word) {
    case "pattern":
      return text === "" ? undefined : text;
    case "format":
      return Object.hasOwn(FORMATS, text) ? text : undefined;
    case "uniqueItems":
      return text === "" || text === "true" ? true : undefined;
    default: {
      const value = NUMBER.test(text) ? Number(text) : Number.NaN;
      if (!Number.isFinite(value)) return undefined;
      if (LIMIT_WORDS[word] === "number")
        return word !== "multipleOf" || value > 0 ? value : undefined;
      return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
    }
  }
}

const EXAMPLES: Readonly<Record<LimitWord, string>> = {
  minimum: "`@minimum 1`",
  maximum: "`@maximum 100`",
  exclusiveMinimum: "`@exclusiveMinimum 0`",
  exclusiveMaximum: "`@exclusiveMaximum 1`",
  multipleOf: "`@multipleOf 0.5`, more than 0",
  minLength: "`@minLength 1`",
  maxLength: "`@maxLength 100`",
  pattern: "`@pattern ^[a-z]+$`",
  format: `one of ${Object.keys(FORMATS).join(", ")}`,
  minItems: "`@minItems 1`",
  maxItems: "`@maxItems 100`",
  uniqueItems: "`@uniqueItems`",
};
