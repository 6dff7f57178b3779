// Converts schemas to types in one run of json-schema-to-typescript. Each schema gets a number as
// its name, so that names made up by the library cannot collide with ours; its output is split into
// declarations, sorted, indented and renamed.

import { compile } from "json-schema-to-typescript";
import { plainCode } from "./doc-comment.js";
import { restoreGenerics } from "./generic-types.js";
import { exportedNames, type LoweredSchema } from "./lower-schema.js";

/** A type to declare. */
export interface TypeRequest {
  readonly name: string;
  readonly schema: LoweredSchema;
  /** Text above the type: empty, or whole lines. */
  readonly comment: string;
  /** Name of a generic type; the schema is then the tuple of its arguments. */
  readonly generic?: string;
}

const OPTIONS = {
  bannerComment: "",
  format: false,
  unreachableDefinitions: true,
  /** Tuples are written out at any length. */
  maxItems: -1,
};
/** The library writes this above every unreferenced type, and all of ours are. */
const LIBRARY_COMMENT = new RegExp(
  "/\\*\\*\n \\* This interface was referenced by `Root`'s JSON-Schema\n" +
    ' \\* via the `definition` "D\\d+"\\.\n \\*/\n(?=export )',
  "g",
);
const DECLARATION = /^(?:export interface D(\d+) |export type D(\d+) = )/gm;

/** Returns the declarations in the order of `requests`. */
export async function declareTypes(requests: readonly TypeRequest[]): Promise<readonly string[]> {
  // The library treats an object as one type, and schemas may share objects; hence the copies.
  const $defs = Object.fromEntries(
    requests.map(({ schema }, index) => [`D${index}`, { ...schema }]),
  );
  const root = { type: "object", properties: {}, additionalProperties: false, $defs };
  const printed = await compile(root as Parameters<typeof compile>[0], "Root", OPTIONS);
  const code = restoreGenerics(printed.replace(LIBRARY_COMMENT, ""));
  const bodies = takeApart(exportedNames(plainCode(code)));
  return requests.map(({ name, comment, generic }, index) => {
    const { isInterface, body } = bodies.get(index)!;
    if (isInterface) return `${comment}${tidy(`export interface ${name} ${body}`)}\n`;
    const type = generic === undefined ? body : `${generic}<${body.slice(1, -1)}>`;
    return `${comment}${tidy(`export type ${name} = ${type}`)};\n`;
  });
}

interface Body {
  readonly isInterface: boolean;
  readonly body: string;
}

/**
 * Returns declarations by number. Texts are single lines, so only declarations start with `export`.
 */
function takeApart(printed: string): ReadonlyMap<number, Body> {
  const found = [...printed.matchAll(DECLARATION)];
  const starts = [...printed.matchAll(/^export /gm)].map(({ index }) => index);
  return new Map(
    found.map((match) => {
      const [head, interfaceNumber, typeNumber] = match;
      const end = starts.find((start) => start > match.index) ?? printed.length;
      const body = printed.slice(match.index + head.length, end).trim();
      return [Number(interfaceNumber ?? typeNumber), { isInterface: !typeNumber, body }];
    }),
  );
}

const ONE_LINE_COMMENT = /^\/\*\*\n \* (.*)\n \*\/\n/gm;
const COMMENT = /^(\/\*\*| \*)/;
/** Matches a member or declaration whose type is wrapped in redundant parentheses. */
const BRACKETED =
  /^((?:[\w$]+|"(?:[^"\\]|\\.)*")\??: |export type \S+ = )\(((?:[^()"]|"(?:[^"\\]|\\.)*")*)\)$/;

function tidy(text: string): string {
  let depth = 0;
  const lines = text
    .replace(ONE_LINE_COMMENT, "/** $1 */\n")
    .split("\n")
    .filter((line) => line.trim() !== "");
  const tidied = lines.map((line) => {
    const isComment = COMMENT.test(line);
    if (!isComment && line.startsWith("}")) depth--;
    const margin = "  ".repeat(depth);
    if (isComment) return `${margin}${line.trimEnd()}`;
    const opens = line.endsWith("{");
    const end = opens || depth === 0 ? "" : ";";
    if (opens) depth++;
    return `${margin}${line.replace(BRACKETED, "$1$2")}${end}`;
  });
  return tidied.join("\n");
}
