// The status services of every server, as operations: `/svc/time` and its like are no plugins, so
// the compiler never meets them. Their answers are described as far as clients may rely on them.

import type { JsonSchema, ParamSpec } from "./argspec.js";
import type { Operation } from "./operations.js";

const TEXT: JsonSchema = { type: "string" };
const INTEGER: JsonSchema = { type: "integer", "x-svc-range": "safe" };
const ANYTHING: JsonSchema = {};

const LEVEL: ParamSpec = {
  name: "level",
  in: "query",
  wire: "int",
  required: false,
  default: 0,
  schema: INTEGER,
  description: "how much to tell of each, 0 to 3",
};

/** Sorted by name. */
export const SERVICES: readonly Operation[] = [
  service("dispatch", "Tells the state of the matrix and of its channels.", ANYTHING),
  service("graphsum", "Sums up all graphs.", ANYTHING),
  textService("hc", "Tells that the server takes requests, for health checks."),
  { ...service("inspect", "Lists open connections.", ANYTHING), params: [LEVEL] },
  service("matrix", "Tells where back-ends are and which are up.", ANYTHING),
  service("meminfo", "Tells the memory of the machine and of this process.", ANYTHING),
  service("nodestat", "Tells the figures of all instances of a matrix.", ANYTHING),
  service("objcnt", "Counts the objects of all graphs.", ANYTHING),
  service("ping", "Tells which host answers.", ANYTHING),
  textService("randint", "Answers 16 random hexadecimal digits."),
  textService("randstr", "Answers random hexadecimal digits, up to 65,536."),
  service("status", "Tells load, errors and latency of the main port.", ANYTHING),
  service("storage", "Tells the folder of persistent data.", closed({ sysroot: TEXT })),
  service(
    "time",
    "Tells how long the server has been up, and its clock.",
    closed({ time: closed({ up: TEXT, start: TEXT, current: TEXT }) }),
  ),
];

function service(name: string, summary: string, schema: JsonSchema): Operation {
  return {
    name,
    path: `/svc/${name}`,
    summary,
    description: summary,
    deprecated: false,
    deprecation: "",
    readonly: true,
    graph: null,
    params: [],
    content: null,
    isOpen: false,
    result: { kind: "value", schema },
    isText: false,
    returns: "",
    errors: [],
    examples: [],
  };
}

function textService(name: string, summary: string): Operation {
  return { ...service(name, summary, TEXT), isText: true };
}

/** An object that always has all of these members. */
function closed(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return {
    type: "object",
    properties,
    required: Object.keys(properties),
    additionalProperties: {},
  };
}
