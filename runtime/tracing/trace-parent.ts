// The header line `traceparent` of W3C Trace Context: which trace a request belongs to, and which
// step of it has sent it. It comes from outside: anything but the known form counts as none.

export interface TraceParent {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** Whoever sent it records the trace. */
  readonly isSampled: boolean;
}

export const TRACE_PARENT = "traceparent";
export const TRACE_STATE = "tracestate";

/** Later versions may add parts behind these. */
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

/** The same, not recorded. */
export function unsampled({ traceId, spanId }: TraceParent): string {
  return `00-${traceId}-${spanId}-00`;
}

/** The block of header lines with that parent in place of the one that it has. */
export function withTraceParent(block: string, text: string): string {
  return `${block.replace(LINE, "")}${TRACE_PARENT}: ${text}\r\n`;
}
