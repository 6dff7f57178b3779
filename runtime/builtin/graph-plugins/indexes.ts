// Indexes of graphs over HTTP; like all changes, creating and dropping them is for trusted clients
// only. Another thread builds indexes asynchronously; the response reports the progress.

import { ParameterError } from "../../base/errors.js";
import type { TextIndexOptions } from "../../graph/api/entry-points.js";
import type { Graph } from "../../graph/api/graph.js";
import type {
  VectorIndexOptions,
  VectorMeasure,
  VectorPrecision,
} from "../../graph/api/public-names.js";
import type { int, str } from "../../plugin/contract/types.js";
import type { PluginRequest } from "../../plugin/request/plugin-request.js";
import { queryFromText } from "../query-json.js";
import { graphNamed } from "./graph-named.js";

/**
 * Lists the indexes of a graph.
 * @plugin indexes
 * @readonly
 * @param graph name of the graph
 */
export function indexes(_request: PluginRequest, graph: str): object {
  return describeIndexes(graphNamed(graph));
}

/**
 * Creates an index, which is then kept up to date.
 * @plugin index
 * @param graph name of the graph
 * @param what kind of index: `vectors`, `property`, `ids` or `text`
 * @param length number of components of the vectors
 * @param ef candidates to inspect per vector
 * @param key name of the property
 * @param options options of a text index as JSON: `{"keys": ["title"], "type": "product"}`
 * @param measure measure of vectors: `cosine`, `dot`, `l2` or `hamming`; empty: that of the graph
 * @param name name of the vectors; empty: those without a name
 * @param signs 1 for an index of the signs of vectors
 */
export function index(
  _request: PluginRequest,
  graph: str,
  what: str,
  length: int = 0,
  ef: int = 0,
  key: str = "",
  options: str = "",
  measure: str = "",
  name: str = "",
  signs: int = 0,
): object {
  const target = graphNamed(graph);
  const kind = kindOf(what, length, key);
  if (kind === "vectors") target.index(kind, vectorOptions({ length, ef, measure, name, signs }));
  else if (kind === "text") target.index(kind, textOptions(options));
  else if (kind === "property") target.index(kind, { key });
  else target.index(kind);
  return describeIndexes(target);
}

/**
 * Drops an index. The memory of a vector index is freed in the background.
 * @plugin dropindex
 * @param graph name of the graph
 * @param what kind of index: `vectors`, `property`, `ids` or `text`
 * @param length number of components of the vectors
 * @param key name of the property
 * @param name name of the text index (empty: `text`), or of the vectors
 */
export function dropindex(
  _request: PluginRequest,
  graph: str,
  what: str,
  length: int = 0,
  key: str = "",
  name: str = "",
): object {
  const target = graphNamed(graph);
  const kind = kindOf(what, length, key);
  const wasThere =
    kind === "text"
      ? target.dropIndex(kind, { name: name || "text" })
      : dropped(target, kind, { length, key, name });
  return { dropped: wasThere, ...describeIndexes(target) };
}

/**
 * Converts all vectors of a graph to a precision, while it serves.
 * @plugin rebuildvectors
 * @param graph name of the graph
 * @param precision `int8`, `float16`, `float32` or `binary`; empty: that of the graph
 * @param name name of the vectors that get this precision; empty: those without a name
 */
export function rebuildvectors(
  _request: PluginRequest,
  graph: str,
  precision: str = "",
  name: str = "",
): Promise<object> {
  const target = graphNamed(graph);
  if (precision !== "") {
    target.setVectorSettings({ precision: precision as VectorPrecision }, name);
  }
  return target.rebuildVectors().then((converted) => {
    return { converted, ...(target.vectorNames[name] ?? target.vectorSettings) };
  });
}

type Kind = "vectors" | "property" | "ids" | "text";

interface VectorParameters {
  readonly length: number;
  readonly ef: number;
  readonly measure: string;
  readonly name: string;
  readonly signs: number;
}

function vectorOptions(parameters: VectorParameters): VectorIndexOptions {
  const { length, ef, measure, name, signs } = parameters;
  return {
    length,
    ...(name !== "" && { name }),
    ...(ef !== 0 && { ef }),
    ...(measure !== "" && { measure: measure as VectorMeasure }),
    ...(signs !== 0 && { signs: true }),
  };
}

/** @throws ParameterError or ValueError for invalid options */
function textOptions(options: string): TextIndexOptions {
  if (options !== "") return queryFromText(options) as unknown as TextIndexOptions;
  throw new ParameterError("TypeError", "missing required argument: 'options'");
}

function dropped(
  graph: Graph,
  kind: Exclude<Kind, "text">,
  { length, key, name }: { readonly length: number; readonly key: string; readonly name: string },
): boolean {
  if (kind === "vectors") return graph.dropIndex(kind, { length, ...(name !== "" && { name }) });
  return kind === "property" ? graph.dropIndex(kind, { key }) : graph.dropIndex(kind);
}

/** @throws ParameterError for an unknown kind, or a missing parameter of that kind */
function kindOf(what: string, length: number, key: string): Kind {
  if (what !== "vectors" && what !== "property" && what !== "ids" && what !== "text") {
    throw new ParameterError("ValueError", "what (it must be vectors, property, ids or text)");
  }
  if (what === "vectors" && length === 0) {
    throw new ParameterError("TypeError", "missing required argument: 'length'");
  }
  if (what === "property" && key === "") {
    throw new ParameterError("TypeError", "missing required argument: 'key'");
  }
  return what;
}

function describeIndexes(graph: Graph): object {
  return {
    vectors: graph.indexes(),
    properties: graph.propertyIndexes(),
    texts: graph.textIndexes(),
  };
}
