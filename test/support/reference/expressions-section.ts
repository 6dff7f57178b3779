// The end of docs/reference/expressions.md: every attribute, constant and function.

import {
  ARC_ATTRIBUTES,
  OTHER_ATTRIBUTES,
  VERTEX_ATTRIBUTES,
} from "../../../runtime/graph/evaluate/attributes.js";
import { CASTS } from "../../../runtime/graph/evaluate/functions/casts.js";
import { COLLECT } from "../../../runtime/graph/evaluate/functions/collect.js";
import { CONTROL } from "../../../runtime/graph/evaluate/functions/control.js";
import { GEO } from "../../../runtime/graph/evaluate/functions/geo.js";
import { MATH } from "../../../runtime/graph/evaluate/functions/math.js";
import { MEMORY } from "../../../runtime/graph/evaluate/functions/memory.js";
import { RANGE_CELLS } from "../../../runtime/graph/evaluate/functions/range-cells.js";
import { RANGE_ORDER } from "../../../runtime/graph/evaluate/functions/range-order.js";
import { RANGES } from "../../../runtime/graph/evaluate/functions/ranges.js";
import type { FunctionRow } from "../../../runtime/graph/evaluate/functions/row.js";
import { SETS } from "../../../runtime/graph/evaluate/functions/sets.js";
import { SYNTHETIC } from "../../../runtime/graph/evaluate/functions/synthetic.js";
import { TEXTS } from "../../../runtime/graph/evaluate/functions/texts.js";
import { VECTORS } from "../../../runtime/graph/evaluate/functions/vectors.js";
import { CONSTANTS, FUNCTIONS } from "../../../runtime/graph/evaluate/vocabulary.js";
import { code, table } from "./markdown.js";

const GROUPS: readonly (readonly [title: string, rows: readonly FunctionRow[]])[] = [
  ["Control", CONTROL],
  ["Mathematics", MATH],
  ["Conversion and type tests", CASTS],
  ["Strings", TEXTS],
  ["Vectors", VECTORS],
  ["Geography", GEO],
  ["Memory cells", MEMORY],
  ["Ranges of cells", [...RANGES, ...RANGE_CELLS]],
  ["Order and search in ranges", RANGE_ORDER],
  ["Sets", SETS],
  ["Collecting hits", COLLECT],
  ["Synthetic arcs", SYNTHETIC],
];

interface Attribute {
  readonly name: string;
  readonly type: string;
  readonly doc: string;
}

export function expressionsSection(): string {
  const known = GROUPS.reduce((count, [, rows]) => count + rows.length, 0);
  if (known !== FUNCTIONS.size) throw new Error(`${FUNCTIONS.size - known} functions in no group`);
  return [
    "## Attributes\n",
    "Of a vertex: `vertex.<name>`, `next.<name>`, `prev.<name>`, or `.<name>` for `next`.\n",
    attributes(VERTEX_ATTRIBUTES.values()),
    "Of an arc: `next.arc.<name>`, `prev.arc.<name>`, or `.arc.<name>` for `next`.\n",
    attributes(ARC_ATTRIBUTES.values()),
    "Others:\n",
    attributes(OTHER_ATTRIBUTES.values()),
    "## Constants\n",
    `${constants()}\n`,
    "## Functions\n",
    "`...`: any number of arguments. A result of type num is int or real, like the arguments.\n",
    ...GROUPS.flatMap(([title, rows]) => [`### ${title}\n`, functions(rows)]),
  ].join("\n");
}

function attributes(rows: Iterable<Attribute>): string {
  const cells = Array.from(rows, ({ name, type, doc }) => [code(name), type, doc]);
  return table(["Attribute", "Type", "Value"], cells);
}

/** Names of constants by their type, as lines of a list. */
function constants(): string {
  const rows = [...CONSTANTS];
  const types = [...new Set(rows.map(([, { type }]) => type))];
  const lines = types.map((type) => {
    const names = rows.filter(([, constant]) => constant.type === type);
    return `* ${type}: ${names.map(([name]) => code(name)).join(", ")}`;
  });
  return lines.join("\n");
}

function functions(rows: readonly FunctionRow[]): string {
  const cells = rows.map(({ name, type, doc }) => {
    const [, input, result] = /^(\(.*?\)):? ?(.*)$/.exec(doc) ?? ["", "", doc];
    return [code(`${name}${input}`), type === "kept" ? "num" : type, result!];
  });
  return table(["Function", "Result", "Description"], cells);
}
