// The status services of every server as operations: `/svc/time` and others are not plugins, so the
// compiler does not see them. Their results list the members that clients may rely on; servers may
// send more.

import type { JsonSchema, ParamSpec } from "./argspec.js";
import type { Operation } from "./operations.js";

type Members = Readonly<Record<string, JsonSchema>>;

const TEXT: JsonSchema = { type: "string" };
const NUMBER: JsonSchema = { type: "number" };
const INTEGER: JsonSchema = { type: "integer", "x-svc-range": "safe" };
const BOOLEAN: JsonSchema = { type: "boolean" };
/** Services whose members depend on the configuration. */
const OBJECT: JsonSchema = { type: "object", properties: {}, additionalProperties: {} };
const COUNTS = each(INTEGER, "order size properties vectors");
const PROCESS_MEMORY = object(each(INTEGER, "available process"));

const LEVEL: ParamSpec = {
  name: "level",
  in: "query",
  wire: "int",
  required: false,
  default: 0,
  schema: INTEGER,
  description: "level of detail per connection, 0 to 3",
};

const HOST = {
  ...each(TEXT, "ip name uptime current_time cpu version"),
  memory: INTEGER,
};

const MEMORY = {
  total: INTEGER,
  current: PROCESS_MEMORY,
  "worst-case": PROCESS_MEMORY,
};

const NODE = {
  ready: BOOLEAN,
  ...each(TEXT, "host ip"),
  ...each(INTEGER, "adminport pid uptime graph-order graph-size graph-properties"),
  ...each(NUMBER, "service-rate service-95th-ms"),
  ...each(INTEGER, "service-in connected-clients"),
  ...each(INTEGER, "memory-total memory-process memory-available"),
  matrix: OBJECT,
};

const STATUS = {
  name: TEXT,
  data: object(each(INTEGER, "in out")),
  ...each(INTEGER, "connected_clients total_clients"),
  request: object({
    rate: NUMBER,
    ...each(INTEGER, "serving waiting working executors count plugin"),
  }),
  dispatcher: object({ enabled: BOOLEAN, proxy: BOOLEAN }),
  errors: object({ ...each(INTEGER, "service http"), rate: NUMBER, codes: valuesOf(INTEGER) }),
  response_ms: valuesOf(NUMBER),
};

/** Sorted by name. */
export const SERVICES: readonly Operation[] = [
  service("dispatch", "Returns the number of requests per executor.", {
    ...each(object({ dispatch: OBJECT, executor: valuesOf(list(NUMBER)) }), "A B"),
  }),
  service("graphsum", "Returns totals over all graphs.", {
    graphsum: object({ ...COUNTS, names: list(TEXT), "local-only": list(TEXT) }),
  }),
  textService("hc", "Health check: whether the server accepts requests."),
  {
    ...service("inspect", "Lists open connections.", {
      "n-connections": INTEGER,
      connections: list(object({ client: OBJECT, request: OBJECT })),
    }),
    params: [LEVEL],
  },
  { ...service("matrix", "Returns back-end addresses and health."), result: value(list({})) },
  service("meminfo", "Returns memory usage of the machine and the process.", {
    memory: object(MEMORY),
  }),
  service("nodestat", "Returns the key metrics of an instance.", NODE),
  service("objcnt", "Returns object counts of all graphs.", COUNTS),
  service("peerstat", "Returns the replication peers of the instance.", {}),
  service("ping", "Returns the host and the version of the server.", { host: object(HOST) }),
  textService("randint", "Returns 16 random hexadecimal digits."),
  textService("randstr", "Returns random hexadecimal digits, up to 65,536."),
  service("status", "Returns load, errors and latency of the main port.", STATUS),
  service("storage", "Returns the data folder.", { sysroot: TEXT }),
  service("time", "Returns the uptime and the clock of the server.", {
    time: object(each(TEXT, "up start current")),
  }),
  service("txstat", "Returns replication throughput, sent and applied.", {}),
];

/** @param members always present in the result */
function service(name: string, summary: string, members: Members = {}): Operation {
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
    result: value(object(members)),
    isText: false,
    isGuarded: false,
    returns: "",
    errors: [],
    examples: [],
    access: undefined,
  };
}

function textService(name: string, summary: string): Operation {
  return { ...service(name, summary), result: value(TEXT), isText: true };
}

function value(schema: JsonSchema) {
  return { kind: "value", schema } as const;
}

function object(properties: Members): JsonSchema {
  const required = Object.keys(properties);
  return { type: "object", properties, required, additionalProperties: {} };
}

function valuesOf(schema: JsonSchema): JsonSchema {
  return { type: "object", properties: {}, additionalProperties: schema };
}

function list(items: JsonSchema): JsonSchema {
  return { type: "array", items };
}

/** Members of one type. */
function each(schema: JsonSchema, names: string): Members {
  return Object.fromEntries(names.split(" ").map((name) => [name, schema]));
}
