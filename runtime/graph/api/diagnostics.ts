// Debugging output: vertices, locks and arcs as text, and the string values of properties.

import { createHash } from "node:crypto";
import { S_VAL } from "../../base/sort-constants.js";
import type { GraphAccess } from "../changes/sessions/graph-access.js";
import { D_IN, D_OUT, F_AARC } from "../model/constants.js";
import { EnumerationError } from "../model/errors.js";
import { arcs } from "../query/calls/arcs.js";
import { neighborhood } from "../query/calls/neighborhood.js";
import type { VertexCondition } from "../query/parse/query-options.js";
import { DESCRIPTOR, RAW } from "../store/attributes/vertex-attributes.js";
import type { GraphStore } from "../store/graph-store.js";

/** String values of properties: their codes and how often they occur. */
export type TextValues = Readonly<Record<string, readonly [code: string, count: number]>>;

const SHOWN_ARCS = 25;

/** Returns the code of a string: a digest, the same in every process. */
export function codeOfText(text: string): string {
  if (typeof text !== "string") throw new TypeError("a text is required");
  return createHash("md5").update(text).digest("hex");
}

/** Visits all vertices. */
export function textValues({ vertices, properties }: GraphStore): TextValues {
  const counts = new Map<string, number>();
  for (let vertex = 1; vertex < vertices.end; vertex++) {
    if (!vertices.isUsed(vertex)) continue;
    for (const value of Object.values(properties.all(vertex))) {
      if (typeof value === "string") counts.set(value, (counts.get(value) ?? 0) + 1);
    }
  }
  const entries = [...counts].map(([text, count]) => [text, [codeOfText(text), count]] as const);
  return Object.fromEntries(entries);
}

/**
 * Returns the string with a code.
 * @throws EnumerationError no property has it
 */
export function textOfCode(store: GraphStore, code: string): string {
  for (const text of Object.keys(textValues(store))) {
    if (codeOfText(text) === code) return text;
  }
  throw new EnumerationError("undefined enumeration");
}

/** Describes a vertex: attributes, properties, and the arcs with the greatest values. */
export function vertexText(store: GraphStore, vertex: number): string {
  const { ids, vertices, properties } = store;
  const lines = [
    `Vertex( ${ids.idOf(vertex)} )`,
    `  type ${store.typeNameOf(vertex)}, ${vertices.isVirtual(vertex) ? "VIRTUAL" : "REAL"}`,
    `  ${descriptorText(store, vertex)}`,
    ...Object.entries(properties.all(vertex)).map(
      ([key, value]) => `  ${key}: ${formatValue(value)}`,
    ),
  ];
  for (const arc of [D_OUT, D_IN]) {
    const options = { arc, sortby: S_VAL, hits: SHOWN_ARCS, fields: F_AARC } as const;
    lines.push(...(neighborhood(store, vertex, options) as string[]).map((text) => `  ${text}`));
  }
  return lines.join("\n");
}

/** Describes the storage of a vertex in one line. */
export function descriptorText(store: GraphStore, vertex: number): string {
  const { vertices, locks } = store;
  const lock = `owner ${locks.ownerOf(vertex)}, held ${locks.countOf(vertex)}`;
  const degrees = `out ${vertices.outDegree(vertex)}, in ${vertices.inDegree(vertex)}`;
  const kept = `handle ${vertex}, descriptor ${DESCRIPTOR.of(store, vertex).toString(16)}`;
  return `${kept}, ${lock}, ${degrees}, ${RAW.of(store, vertex)}`;
}

/** Lists the locked vertices with their sessions. */
export function locksText({ store }: GraphAccess): string {
  const lines = store.locks.entries().map((lock) => {
    const mode = lock.isWritable ? "WL" : "RO";
    return `${mode} ${lock.count} session ${lock.session}: ${store.ids.idOf(lock.vertex)}`;
  });
  return lines.length === 0 ? "no open vertices" : lines.join("\n");
}

/** Lists arcs of the vertices that meet a condition. */
export function arcsText(store: GraphStore, condition: VertexCondition, hits: number): string {
  const found = arcs(store, { condition, hits, fields: F_AARC }) as string[];
  return found.length === 0 ? "no arcs" : found.join("\n");
}

function formatValue(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}
