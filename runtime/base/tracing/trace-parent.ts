// The header field `traceparent` of W3C Trace Context: the trace of a request, and the span that
// sent it. Untrusted input: any malformed value is ignored.

export interface TraceParent {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** The sender records the trace. */
  readonly isSampled: boolean;
}

export const TRACE_PARENT = "traceparent";
export const TRACE_STATE = "tracestate";

/** Later versions may append fields. */
const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const NOTHING = /^0+$/;
const LINE = /^traceparent:[^\r]*\r\n/gim;

export function readTraceParent(text: string | undefined): TraceParent | null {
  const [, version, traceId, spanId, flags, rest] = FORM.exec(text ?? "") ?? [];
  if (traceId === undefined || spanId === undefined || version === "ff") return null;
  if (version === "00" && rest !== undefined) return null;
  if (NOTHING.test(traceId) || NOTHING.test(spanId)) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags!, 16) & 1) === 1 };
}

export function traceParentText(traceId: string, spanId: string): string {
  return `00-${traceId}-${spanId}-01`;
}

/** Returns the same context with the sampled flag cleared. */
export function unsampled({ traceId, spanId }: TraceParent): string {
  return `00-${traceId}-${spanId}-00`;
}

/** Returns the header block with its `traceparent` replaced. */
export function withTraceParent(block: string, text: string): string {
  return `${block.replace(LINE, "")}${TRACE_PARENT}: ${text}\r\n`;
}
