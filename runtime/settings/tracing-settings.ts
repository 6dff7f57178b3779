// Rows of the table of settings: destination and sampling of traces.

import { setting } from "./setting.js";
import { collectorUrl, integer, optional } from "./setting-types.js";

export const TRACING_SETTINGS = {
  /** OTLP/HTTP collector of traces, such as "http://127.0.0.1:4318"; null: none. */
  collector: setting({
    key: "tracing.collector",
    type: optional(collectorUrl),
    default: [null, "none"],
    option: "collector",
    platformVariable: "OTEL_EXPORTER_OTLP_ENDPOINT",
    library: "start",
    help: "OTLP/HTTP collector base URL, without `/v1/traces`",
    optionHelp: "OTLP/HTTP collector base URL, without /v1/traces",
  }),
  /** Samples one in this many requests without a trace context (0: none). Default 1. */
  traceSampleEvery: setting({
    key: "tracing.sampleEvery",
    type: integer(0, Number.MAX_SAFE_INTEGER),
    default: [1],
    option: "trace-sample-every",
    library: "start",
    help: "start a trace for one in n untraced requests (0: none)",
  }),
};
