// Changes of graphs over HTTP (http-interface, "Graph modification"), for trusted clients only.
// Parameters are validated before anything waits, so that errors are reported at once.

import { ParameterError } from "../../base/errors.js";
import type { ArcFilter, ArcSpec } from "../../graph/api/public-names.js";
import { M_STAT, V_ANY } from "../../graph/model/constants.js";
import type { float, int, json, str } from "../../plugin/contract/types.js";
import { exceededJsonLimit } from "../../plugin/request/json-limits.js";
import type { PluginRequest } from "../../plugin/request/plugin-request.js";
import { constantParameter } from "../query-json.js";
import { retryUntilUnlocked } from "../retry-until-unlocked.js";
import { vectorParameter, vectorsParameter } from "../vector-json.js";
import { graphNamed } from "./graph-named.js";

const TIMEOUT_MS = 5000;
/** Members of the body of `createvertex`. */
const BODY_TYPES = new Map([
  ["type", "string"],
  ["lifespan", "number"],
  ["properties", "json"],
  ["vector", "json"],
  ["vectors", "json"],
]);

/**
 * Creates or updates a vertex.
 * @plugin createvertex
 * @param content the other parameters as one JSON object; they take precedence
 * @param graph name of the graph
 * @param id id of the vertex
 * @param type type of the vertex; empty: no type
 * @param lifespan seconds until the vertex expires; -1: never
 * @param properties properties to set
 * @param vector list of numbers, or float32s in base64; `[]`: remove the vector
 * @param vectors vectors by name: `{"title": [1, 0]}`
 */
export function createvertex(
  _request: PluginRequest,
  content: str,
  graph: str,
  id: str,
  type: str = "",
  lifespan: int = -1,
  properties: json = {},
  vector: json = null,
  vectors: json = {},
): Promise<object> {
  const parameters = { type, lifespan, properties, vector, vectors, ...vertexFromBody(content) };
  const newProperties = parameters.properties;
  if (!isObject(newProperties)) {
    throw new ParameterError("TypeError", "properties (an object is required)");
  }
  const target = graphNamed(graph);
  const options = {
    type: parameters.type === "" ? null : parameters.type,
    lifespan: parameters.lifespan,
    properties: newProperties,
    vector: vectorParameter(target, "vector", parameters.vector),
    vectors: vectorsParameter(target, parameters.vectors),
  };
  return retryUntilUnlocked(TIMEOUT_MS, (timeout) => {
    const created = target.createVertex(id, { ...options, timeout });
    return { id, action: created === 1 ? "created" : "updated" };
  });
}

type VertexBody = { type?: str; lifespan?: int; properties?: json; vector?: json; vectors?: json };

/**
 * Parses the body of a vertex.
 * @throws ParameterError for other members or invalid JSON
 */
function vertexFromBody(content: string): VertexBody {
  if (content.trim() === "") return {};
  const refuse = (reason: string): never => {
    throw new ParameterError("ValueError", `content (${reason})`);
  };
  const exceeded = exceededJsonLimit(content);
  if (exceeded !== null) return refuse(exceeded);
  let body: unknown;
  try {
    body = JSON.parse(content);
  } catch (error) {
    return refuse((error as Error).message);
  }
  if (!isObject(body)) return refuse("a JSON object is required");
  for (const [name, value] of Object.entries(body)) {
    const type = BODY_TYPES.get(name);
    if (type === undefined) refuse(`unknown member '${name}', known are ${[...BODY_TYPES.keys()]}`);
    if (type !== "json" && typeof value !== type) refuse(`${name} must be a ${type}`);
  }
  return body;
}

function isObject(value: unknown): value is Record<string, json> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Deletes a vertex.
 * @plugin deletevertex
 * @param graph name of the graph
 * @param id id of the vertex
 */
export function deletevertex(_request: PluginRequest, graph: str, id: str): Promise<object> {
  const target = graphNamed(graph);
  return retryUntilUnlocked(TIMEOUT_MS, (timeout) => {
    const deleted = target.deleteVertex(id, timeout);
    return { id, action: deleted === 1 ? "deleted" : null };
  });
}

/**
 * Creates an arc, or sets its value.
 * @plugin connect
 * @param graph name of the graph
 * @param initial id of the vertex where the arc starts
 * @param terminal id of the vertex where the arc ends
 * @param relationship name of the relationship
 * @param modifier name of an M_ constant
 * @param value value of the arc, within the range of the modifier
 * @param lifespan seconds until the arc expires; -1: never
 * @param timeout maximum wait for vertex locks in milliseconds
 */
export function connect(
  _request: PluginRequest,
  graph: str,
  initial: str,
  terminal: str,
  relationship: str = "__related__",
  modifier: str = "M_FLT",
  value: float = 0,
  lifespan: int = -1,
  timeout: int = TIMEOUT_MS,
): Promise<object> {
  const code = constantParameter("modifier", modifier, "M_");
  const arc: ArcSpec = code === M_STAT ? [relationship, code] : [relationship, code, value];
  const target = graphNamed(graph);
  return retryUntilUnlocked(timeout, (timeout) => {
    const created = target.connect(initial, arc, terminal, { lifespan, timeout });
    return { initial, terminal, action: created > 0 ? "connected" : "updated" };
  });
}

/**
 * Removes arcs of a vertex.
 * @plugin disconnect
 * @param graph name of the graph
 * @param id id of the vertex
 * @param neighbor id of the vertex at the other end; `*`: any
 * @param relationship name of the relationship; `*`: any
 * @param direction name of a D_ constant
 * @param modifier name of an M_ constant
 * @param condition name of a V_ constant
 * @param value value that the condition compares with
 * @param timeout maximum wait for vertex locks in milliseconds
 */
export function disconnect(
  _request: PluginRequest,
  graph: str,
  id: str,
  neighbor: str = "*",
  relationship: str = "*",
  direction: str = "D_OUT",
  modifier: str = "M_ANY",
  condition: str = "V_ANY",
  value: float = 0,
  timeout: int = TIMEOUT_MS,
): Promise<object> {
  const test = constantParameter("condition", condition, "V_");
  const dir = constantParameter("direction", direction, "D_");
  const mod = constantParameter("modifier", modifier, "M_");
  const arc: ArcFilter =
    test === V_ANY ? [relationship, dir, mod] : [relationship, dir, mod, test, value];
  const neighborId = neighbor === "*" ? undefined : neighbor;
  const target = graphNamed(graph);
  return retryUntilUnlocked(timeout, (timeout) => {
    const arcs = target.disconnect(id, arc, neighborId, timeout);
    return { id, action: arcs > 0 ? "disconnected" : null, arcs };
  });
}
