// One record of an import: a vertex, an arc, or the vector settings of the graph. The graph
// validates the values. Unknown members are rejected, so that no data is lost silently.

import { SvcError } from "../../runtime/base/errors.js";
import * as constants from "../../runtime/graph/model/constants.js";
import type {
  ArcSpec,
  ConfiguredVectors,
  CreateOptions,
  Graph,
  PropertyValue,
} from "../../runtime/index.js";

const VERTEX_MEMBERS = new Set([
  ...["id", "type", "lifespan", "expires", "properties", "vector", "vectors"],
]);
const ARC_MEMBERS = new Set(["initial", "relationship", "modifier", "value", "terminal"]);
const SETTINGS_MEMBERS = new Set(["vectors"]);
/** Property values without a JSON form. */
const BYTES = "$bytes";
const MAP = "$map";

type Members = { readonly [key: string]: unknown };

/** @throws SvcError SVC3060 */
export function importRecord(
  graph: Graph,
  value: Members,
  { position, type }: { readonly position: string; readonly type: string | null },
): void {
  const isArc = Object.hasOwn(value, "initial");
  const isSettings = Object.hasOwn(value, "vectors") && !Object.hasOwn(value, "id");
  const allowed = isSettings ? SETTINGS_MEMBERS : isArc ? ARC_MEMBERS : VERTEX_MEMBERS;
  const unknown = Object.keys(value).find((name) => !allowed.has(name));
  if (unknown !== undefined) {
    throw refused(position, `unknown member "${unknown}"; expected: ${[...allowed].join(", ")}`);
  }
  try {
    if (isSettings) importSettings(graph, value.vectors as ConfiguredVectors);
    else if (isArc) importArc(graph, value);
    else importVertex(graph, value, type);
  } catch (error) {
    // Only errors of the record: a full disk or a lost lock is not an error of the file.
    if (error instanceof TypeError || error instanceof SvcError) {
      throw refused(position, error.message, error);
    }
    throw error;
  }
}

function importSettings(graph: Graph, { named = {}, ...settings }: ConfiguredVectors): void {
  graph.setVectorSettings(settings);
  for (const [name, settings] of Object.entries(named)) graph.setVectorSettings(settings, name);
}

function importVertex(graph: Graph, value: Members, defaultType: string | null): void {
  const { id, type, lifespan, expires, properties, vector, vectors } = value;
  requireId("id", id);
  const options = {
    type: (type as string | null | undefined) ?? defaultType,
    vector: parseComponents(vector),
    ...(vectors !== undefined && { vectors: parseVectors(vectors) }),
    properties: parseProperties(properties),
    ...(lifespan !== undefined && { lifespan }),
  };
  graph.createVertex(id as string, options as CreateOptions);
  if (expires === undefined) return;
  const vertex = graph.openVertex(id as string);
  vertex.setExpiration(expires as number);
  vertex.close();
}

function requireId(name: string, id: unknown): void {
  if (typeof id === "string") return;
  throw new TypeError(`${name} must be a string, but is ${JSON.stringify(id) ?? "missing"}`);
}

function parseComponents(value: unknown): unknown {
  return typeof value === "string" ? floatsOf(value) : value;
}

function parseVectors(vectors: unknown): object {
  if (typeof vectors !== "object" || vectors === null || Array.isArray(vectors)) {
    throw new TypeError("vectors must be an object");
  }
  return Object.fromEntries(
    Object.entries(vectors).map(([name, vector]) => [name, parseComponents(vector)]),
  );
}

function floatsOf(base64: string): Float32Array {
  const bytes = Buffer.from(base64, "base64");
  if (bytes.length % 4 !== 0) throw new TypeError("vector must be base64 of float32s");
  return Float32Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(at * 4));
}

function parseProperties(properties: unknown): { [key: string]: PropertyValue } | undefined {
  if (properties === undefined || properties === null) return undefined;
  if (typeof properties !== "object" || Array.isArray(properties)) {
    throw new TypeError("properties must be an object");
  }
  return Object.fromEntries(
    Object.entries(properties).map(([key, value]) => [key, propertyOf(value)]),
  );
}

function propertyOf(value: unknown): PropertyValue {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return value as PropertyValue;
  }
  const { [BYTES]: bytes, [MAP]: map } = value as Members;
  if (typeof bytes === "string") return new Uint8Array(Buffer.from(bytes, "base64"));
  if (Array.isArray(map)) return new Map(map as [number, number][]);
  return value as PropertyValue;
}

/** Returns the JSON representation of a property value in an export. */
export function plainValue(value: PropertyValue): unknown {
  if (value instanceof Uint8Array) return { [BYTES]: Buffer.from(value).toString("base64") };
  return value instanceof Map ? { [MAP]: [...value] } : value;
}

function importArc(graph: Graph, record: Members): void {
  const { initial, relationship = null, terminal, value } = record;
  const modifier = parseModifier(record.modifier ?? "M_STAT");
  requireId("initial", initial);
  requireId("terminal", terminal);
  const [from, to] = [initial as string, terminal as string];
  const arc = [relationship, modifier] as unknown as ArcSpec;
  const code = modifier & ~(constants.M_FWDONLY | constants.M_AUTOTM);
  if (code === constants.M_CNT || code === constants.M_ACC || code === constants.M_TMC) {
    if (code !== modifier) throw new TypeError("this modifier does not allow a forward-only arc");
    setArc(graph, [from, to], relationship as string | null, code, Number(value ?? 1));
  } else if (code === constants.M_STAT || value === undefined) graph.connect(from, arc, to);
  else graph.connect(from, [relationship, modifier, value] as unknown as ArcSpec, to);
}

/** Sets an arc, which may add to a counter or be write-once. */
function setArc(
  graph: Graph,
  [from, to]: readonly [string, string],
  relationship: string | null,
  code: number,
  value: number,
): void {
  const filter = [relationship, constants.D_OUT, code] as const;
  const exists = graph.hasVertex(from) && graph.adjacent(from, filter as never, to);
  const old = exists ? (graph.arcValue(from, filter as never, to) ?? 0) : 0;
  if (exists && old === value) return;
  if (code === constants.M_CNT) graph.count(from, relationship, to, value - old);
  else if (code === constants.M_ACC) graph.accumulate(from, relationship, to, value - old);
  else if (!exists) graph.connect(from, [relationship, code, value] as unknown as ArcSpec, to);
}

function parseModifier(modifier: unknown): number {
  const names = String(modifier).split("|");
  let code = 0;
  for (const name of names) {
    const value = name.startsWith("M_") ? Reflect.get(constants, name) : undefined;
    if (typeof value !== "number") throw new TypeError(`unknown modifier "${name}"`);
    code |= value;
  }
  return code;
}

function refused(position: string, reason: string, cause?: Error): SvcError {
  return new SvcError("SVC3060", `${position}: ${reason}`, { cause });
}
