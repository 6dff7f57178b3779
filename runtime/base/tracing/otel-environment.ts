// Environment variables of OpenTelemetry that concern the export of traces. The endpoint of all
// signals, OTEL_EXPORTER_OTLP_ENDPOINT, is the setting `tracing.collector`. As OpenTelemetry
// requires, an invalid value is logged and ignored.

import { log } from "../log.js";

export interface OtelEnvironment {
  /** No traces at all. */
  readonly isDisabled: boolean;
  /** Complete URL for traces; null: not set. */
  readonly url: string | null;
  /** Header fields of each request to the collector, such as a token. */
  readonly headers: Readonly<Record<string, string>>;
  /** Timeout of such a request; null: not set. */
  readonly timeoutMs: number | null;
  /** Attributes of the resource, which take precedence over computed ones. */
  readonly attributes: Readonly<Record<string, string>>;
  /** Samples one in this many requests (0: none); null: not set. */
  readonly sampleEvery: number | null;
}

type Variables = Readonly<Record<string, string | undefined>>;

const TRACES = "OTEL_EXPORTER_OTLP_TRACES_";
const ALL = "OTEL_EXPORTER_OTLP_";
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e]*$/;

export function readOtelEnvironment(variables: Variables): OtelEnvironment {
  const headers = Object.entries(readPairs(variables, `${TRACES}HEADERS`, `${ALL}HEADERS`));
  const service = variables.OTEL_SERVICE_NAME ?? "";
  return {
    isDisabled: variables.OTEL_SDK_DISABLED?.toLowerCase() === "true",
    url: readUrl(variables, `${TRACES}ENDPOINT`),
    headers: Object.fromEntries(headers.filter(isHeader)),
    timeoutMs: readNumber(variables, `${TRACES}TIMEOUT`) ?? readNumber(variables, `${ALL}TIMEOUT`),
    attributes: {
      ...readPairs(variables, "OTEL_RESOURCE_ATTRIBUTES"),
      ...(service !== "" && { "service.name": service }),
    },
    sampleEvery: readSampler(variables),
  };
}

function ignore(name: string, why: string): null {
  // The value may be a secret.
  log(`${name} is ignored: ${why}`, "warn");
  return null;
}

function readUrl(variables: Variables, name: string): string | null {
  const text = variables[name] ?? "";
  if (text === "") return null;
  return /^https?:\/\/\S+$/.test(text) && URL.canParse(text) ? text : ignore(name, "no http URL");
}

function readNumber(variables: Variables, name: string): number | null {
  const text = variables[name] ?? "";
  if (text === "") return null;
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : ignore(name, "no positive whole number");
}

/** Reads `key=value,key=value` with percent-encoded values from the first variable that is set. */
function readPairs(variables: Variables, ...names: readonly string[]): Record<string, string> {
  const name = names.find((candidate) => (variables[candidate] ?? "") !== "");
  const pairs: [string, string][] = [];
  for (const pair of (variables[name ?? ""] ?? "").split(",")) {
    if (pair.trim() === "") continue;
    const [key = "", ...rest] = pair.split("=");
    try {
      if (key.trim() === "" || rest.length === 0) throw new URIError();
      pairs.push([key.trim(), decodeURIComponent(rest.join("=").trim())]);
    } catch {
      ignore(name!, "a member is not key=value, with a percent-encoded value");
    }
  }
  return Object.fromEntries(pairs);
}

function isHeader([name, value]: readonly [string, string]): boolean {
  return HEADER_NAME.test(name) && HEADER_VALUE.test(value);
}

function readSampler({
  OTEL_TRACES_SAMPLER: sampler = "",
  OTEL_TRACES_SAMPLER_ARG: argument = "1",
}: Variables): number | null {
  switch (sampler.replace(/^parentbased_/, "")) {
    case "":
      return null;
    case "always_on":
      return 1;
    case "always_off":
      return 0;
    case "traceidratio": {
      const ratio = Number(argument);
      if (argument === "" || !(ratio >= 0 && ratio <= 1)) {
        return ignore("OTEL_TRACES_SAMPLER_ARG", "no number from 0 to 1");
      }
      return ratio === 0 ? 0 : Math.round(1 / ratio);
    }
    default:
      return ignore("OTEL_TRACES_SAMPLER", "not always_on, always_off or traceidratio");
  }
}
