// Serializes spans as OTLP/JSON, the HTTP format of OpenTelemetry collectors.

/** One step of a request. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the root span. */
  readonly parentId: string;
  readonly name: string;
  readonly kind: SpanKind;
  /** Milliseconds since 1970. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly isFailed: boolean;
}

export enum SpanKind {
  Internal = 1,
  Server = 2,
  Client = 3,
}

const STATUS_ERROR = 2;
/** Paths are client input, as long as a request line. */
const MAX_TEXT = 256;

/** Returns the body of a POST to `/v1/traces`. */
export function tracesText(
  resource: Readonly<Record<string, string>>,
  version: string,
  spans: readonly Span[],
): string {
  const attributes = attributesOf(resource);
  const scope = { name: "svc-server", version };
  const scopeSpans = [{ scope, spans: spans.map(spanOf) }];
  return JSON.stringify({ resourceSpans: [{ resource: { attributes }, scopeSpans }] });
}

function spanOf({ parentId, startMs, endMs, attributes, isFailed, ...span }: Span) {
  return {
    ...span,
    ...(parentId !== "" && { parentSpanId: parentId }),
    startTimeUnixNano: nanoseconds(startMs),
    endTimeUnixNano: nanoseconds(Math.max(startMs, endMs)),
    attributes: attributesOf(attributes),
    status: isFailed ? { code: STATUS_ERROR } : {},
  };
}

/** As text, because JavaScript numbers are too imprecise. */
function nanoseconds(ms: number): string {
  return `${Math.round(ms * 1000)}000`;
}

function attributesOf(attributes: Readonly<Record<string, string | number>>) {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value:
      typeof value === "number"
        ? { intValue: String(value) }
        : { stringValue: value.slice(0, MAX_TEXT) },
  }));
}
