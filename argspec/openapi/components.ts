// Components that the documents of all services share: response envelope, sorted list and errors
// (http-interface, "Response envelope" and "Errors"). They must match what servers send.

import type { JsonSchema } from "../argspec.js";
import type { AccessStatuses } from "./access.js";
import { schemaReference } from "./schemas.js";

const COUNT = { type: "integer", minimum: 0 };
const INTEGER = { type: "integer", format: "double-int" };
const NUMBER = { type: "number" };

const ENVELOPE = {
  level: {
    ...COUNT,
    description: "Number of dispatcher levels below the responding instance.",
  },
  partitions: {
    anyOf: [tupleSchema([COUNT, COUNT, COUNT]), { type: "null" }],
    description:
      "Partitions of the next level, partitions missing from the response, and instances " +
      "that contributed. Null if no back-end took part.",
  },
  exec_ms: { type: "number", minimum: 0, description: "Time of execution in milliseconds." },
  coverage: {
    ...{ type: "number", minimum: 0, maximum: 1 },
    description: "Share of the engines that contributed, if partial results are allowed.",
  },
  explain: {
    type: "object",
    additionalProperties: true,
    description: "How a dispatched request was answered, if `X-SVC-Explain: 1` asked for it.",
  },
};

const EXCEPTION = {
  exception: { type: "string", description: "Class of the error: `<class 'NotFound'>`." },
  value: { type: "string", description: "Its message." },
};

export const SHARED_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Envelope: {
    description: "Envelope of every successful response.",
    type: "object",
    properties: { status: { type: "string", const: "OK" }, ...ENVELOPE },
    required: ["status", "level", "partitions", "exec_ms"],
  },
  PluginResponse: {
    description: "A sorted list that dispatchers merge; its `entries` are of the plugin's types.",
    type: "object",
    properties: {
      level: COUNT,
      levelparts: { ...COUNT, description: "Instances of the level below." },
      partials: { ...COUNT, description: "Instances that contributed." },
      hitcount: { ...COUNT, description: "Number of entries without a limit." },
      aggregator: {
        ...tupleSchema([INTEGER, INTEGER, NUMBER, NUMBER]),
        description: "Sums over all partitions.",
      },
      message: { type: "string", description: "Text from the plugin, if it has set one." },
      meta: { description: "Value from the plugin, or null." },
    },
    required: ["level", "levelparts", "partials", "hitcount", "aggregator", "meta"],
  },
  SvcError: {
    description: "Envelope of every error response.",
    type: "object",
    properties: {
      status: { type: "string", const: "ERROR" },
      message: {
        anyOf: [
          schemaReference("SvcParameterError"),
          schemaReference("SvcPluginError"),
          schemaReference("SvcSystemError"),
          {
            type: "string",
            description:
              "Any other error. Errors below a dispatcher are reported level by level: " +
              "`<partial: 0 width: 2> | 500 | ...`.",
          },
        ],
      },
      port: { ...tupleSchema([COUNT, COUNT]), description: "Port, and 1 for the admin port." },
      exec_id: { ...COUNT, description: "Which executor answered." },
      ...ENVELOPE,
    },
    required: ["status", "message", "port", "exec_id", "level", "partitions", "exec_ms"],
  },
  SvcParameterError: detail("svc", "A parameter is missing or wrong, or the result is no JSON."),
  SvcPluginError: detail("plugin", "The plugin threw an error.", {
    traceback: { type: "array", items: { type: "string" } },
  }),
  SvcSystemError: detail("system", "The server failed."),
};

/** Returns what a status of the server itself means; empty if the server never sends it. */
export function statusText(status: number): string {
  return STATUSES[status]?.[1] ?? "";
}

const STATUSES: Readonly<Record<string, readonly [component: string, description: string]>> = {
  400: ["BadRequest", "A parameter is missing or has another type, or the request is broken."],
  401: ["Unauthorized", "The request has no valid credential."],
  403: ["Forbidden", "The client is not authorized: only trusted clients may change graphs."],
  404: ["NotFound", "This instance does not serve the plugin."],
  405: ["MethodNotAllowed", "Only GET, POST and OPTIONS are served."],
  409: ["Conflict", "A constraint forbids the change, or its `Idempotency-Key` is in use."],
  413: ["PayloadTooLarge", "The body is larger than the server takes."],
  414: ["UriTooLong", "The request line is longer than 8191 bytes."],
  421: ["MisdirectedRequest", "Another instance leads the group, or owns the key."],
  422: ["UnprocessableContent", "The `Idempotency-Key` belongs to another request."],
  429: ["TooManyRequests", "All connections or all back-ends are busy; nothing was executed."],
  500: ["InternalServerError", "The plugin or the server failed."],
  503: ["ServiceUnavailable", "The service is out, or partitions are down; nothing was executed."],
  505: ["HttpVersionNotSupported", "Only HTTP/1.1 is supported."],
  507: ["InsufficientStorage", "The change cannot be stored: the disk is full or members fail."],
};

export const SHARED_RESPONSES = Object.fromEntries(
  Object.values(STATUSES).map(([component, description]) => [
    component,
    { description, content: { "application/json": { schema: schemaReference("SvcError") } } },
  ]),
);

/**
 * Returns references to the responses of all errors.
 * @param errors errors that the author documents for the plugin
 * @param mayForbid whether untrusted clients are rejected
 * @param mayChange whether the plugin may change graphs
 */
export function errorResponses(
  errors: string,
  mayForbid: boolean,
  mayChange: boolean,
  { isAuthenticated, scopes }: AccessStatuses,
): Readonly<Record<string, object>> {
  const isSent: Readonly<Record<string, boolean>> = {
    401: isAuthenticated,
    403: mayForbid || scopes.length > 0,
    ...{ 409: mayChange, 422: mayChange, 507: mayChange },
  };
  const texts: Readonly<Record<string, string>> = {
    403: scopes.length > 0 ? `The principal needs the scopes: ${scopes.join(", ")}.` : "",
    500: errors === "" ? "" : `${STATUSES[500]![1]}\n\n${errors}`,
  };
  const statuses = Object.entries(STATUSES).filter(([status]) => isSent[status] !== false);
  return Object.fromEntries(
    statuses.map(([status, [component]]) => {
      const description = texts[status] ?? "";
      const $ref = `#/components/responses/${component}`;
      return [status, description === "" ? { $ref } : { $ref, description }];
    }),
  );
}

export const SHARED_PARAMETERS = {
  PartialTarget: {
    name: "X-SVC-Partial-Target",
    in: "header",
    description: "Sends the request to the primary replica of this partition alone.",
    schema: COUNT,
  },
  Key: {
    name: "X-SVC-Key",
    in: "header",
    description: "Sends the request to the partition that owns this key, percent-encoded.",
    schema: { type: "string", minLength: 1, maxLength: 6144 },
  },
  Explain: {
    name: "X-SVC-Explain",
    in: "header",
    description: "1: include `explain` in the envelope.",
    schema: { type: "integer", enum: [0, 1] },
  },
};

/** Returns the schema of an array with exactly these items. */
export function tupleSchema(items: readonly JsonSchema[]): JsonSchema {
  const { length } = items;
  return { type: "array", prefixItems: items, minItems: length, maxItems: length, items: false };
}

function detail(kind: string, description: string, more: Record<string, JsonSchema> = {}) {
  const properties = { ...EXCEPTION, ...more };
  const exception = { type: "object", properties, required: ["exception", "value"] };
  return { description, type: "object", properties: { [kind]: exception }, required: [kind] };
}
