// Searches a text index of a graph. Results contain untrusted text.

import { callServer, errorMessage, fetchValue, RejectedError } from "../data/client.js";
import { listAt, numberAt, readPath, textAt } from "../data/node-stat.js";
import { type MarkedPart, parseMarks } from "./marked-text.js";

const HITS = 20;
const TOP_VALUES = 10;
const CHARACTERS = 160;

export interface TextIndex {
  readonly name: string;
  readonly keys: readonly string[];
  readonly documents: number;
  readonly pending: number;
}

export interface TextSearch {
  readonly graph: string;
  readonly index: TextIndex;
  readonly text: string;
  /** Properties whose values are counted beside types. */
  readonly facets: readonly string[];
  /** Value that hits must have, by facet. */
  readonly chosen: ReadonlyMap<string, string>;
}

interface TextHit {
  readonly id: string;
  readonly type: string;
  readonly score: number;
  readonly excerpts: readonly (readonly [key: string, parts: readonly MarkedPart[]])[];
}

interface FacetValue {
  readonly value: unknown;
  readonly count: number;
}

export interface TextResult {
  readonly count: number;
  readonly hits: readonly TextHit[];
  readonly facets: readonly (readonly [name: string, values: readonly FacetValue[]])[];
  readonly explanation: unknown;
  readonly totalMs: number;
  readonly execMs: number | null;
}

/** @throws Error */
export async function textIndexes(graph: string): Promise<readonly TextIndex[]> {
  const found = await fetchValue(`svc/builtin/indexes?${new URLSearchParams({ graph })}`);
  return listAt(found, "texts").map((hit) => ({
    name: textAt(hit, "name"),
    keys: listAt(hit, "keys").map(String),
    documents: numberAt(hit, "documents"),
    pending: numberAt(hit, "pending"),
  }));
}

/** @throws Error */
export async function searchTexts(search: TextSearch, signal: AbortSignal): Promise<TextResult> {
  const { graph, index, text } = search;
  const args = new URLSearchParams({ graph, text, hits: `${HITS}` });
  const body = JSON.stringify(buildQuery(search));
  const reply = await callServer(`svc/builtin/search?${args}`, { method: "POST", body, signal });
  if (!reply.ok) throw new RejectedError(errorMessage(reply));
  const { value, totalMs, execMs } = reply;
  return {
    count: numberAt(value, "counts", "vertices"),
    hits: listAt(value, "search").map((hit) => readHit(hit, index.keys)),
    facets: facetNames(search).map((name) => [name, readFacet(value, name)] as const),
    explanation: readPath(value, "explain"),
    ...{ totalMs, execMs },
  };
}

/** Returns the arguments of the search besides its text. */
export function buildQuery(search: TextSearch): object {
  const { index, chosen } = search;
  return {
    in: index.name,
    ...{ prefix: true, fuzzy: "auto" },
    fields: "F_ID|F_TYPE|F_TEXT",
    result: "R_DICT",
    highlight: Object.fromEntries(index.keys.map((key) => [key, CHARACTERS])),
    facets: Object.fromEntries(facetNames(search).map((name) => [name, TOP_VALUES])),
    ...(chosen.size > 0 && {
      condition: { and: [...chosen].map(([name, value]) => requireValue(name, value)) },
    }),
    ...{ counts: true, explain: true },
  };
}

function facetNames({ facets }: TextSearch): readonly string[] {
  return [...new Set([TYPE_FACET, ...facets])];
}

/** Facet of the types of vertices. */
const TYPE_FACET = ".type";

/** @param value JSON of a string or number */
function requireValue(name: string, value: string): object {
  const parsed: unknown = JSON.parse(value);
  return name === TYPE_FACET ? { type: parsed } : { property: { [name]: parsed } };
}

function readHit(hit: unknown, keys: readonly string[]): TextHit {
  const excerpts = keys.map((key) => [key, textAt(hit, "highlights", key)] as const);
  return {
    id: textAt(hit, "id"),
    type: textAt(hit, "type"),
    score: numberAt(hit, "text"),
    excerpts: excerpts
      .filter(([, html]) => html !== "")
      .map(([key, html]) => [key, parseMarks(html)] as const),
  };
}

function readFacet(value: unknown, name: string): FacetValue[] {
  return listAt(value, "facets", name).map((facet) => ({
    value: readPath(facet, "value"),
    count: numberAt(facet, "count"),
  }));
}
