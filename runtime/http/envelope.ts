// The JSON object around every response (http-interface, "Response envelope"). Built by
// concatenating latin1 strings (one character per byte): results are never parsed or serialized a
// second time.
// {"status": "OK", "response": …, "port": [9000, 0], "exec_id": 0, "level": 0, "partitions": null,
// "exec_ms": 0.123}
// `coverage` follows if partitions of a matrix may be missing. `explain` is the last key if the
// client requests an explanation of the dispatch.

const FRACTIONS = Array.from({ length: 1000 }, (_, index) => String(index).padStart(3, "0"));

/** Position of an instance in the hierarchy of dispatchers. */
export interface Hierarchy {
  /** Number of dispatcher levels, this one included. */
  readonly level: number;
  /** `[parts, incomplete, deep]`, null if no back-end took part. */
  readonly partitions: readonly [number, number, number] | null;
  /** Share of the matrix that took part, null if all partitions are required. */
  readonly coverage: number | null;
  /** JSON text of the explanation, null if it was not requested. */
  readonly explain: string | null;
}

/** Position of an instance without back-ends. */
export const ENGINE: Hierarchy = { level: 0, partitions: null, coverage: null, explain: null };
/** Ends of responses by microseconds: each concatenation would allocate an object. */
const ENGINE_TAILS = FRACTIONS.map((fraction) =>
  [`, "level": 0, "partitions": null, "exec_ms": 0.`, fraction, "}"].join(""),
);

/** Returns the envelope of a plugin or built-in plugin; it carries neither port nor executor. */
export function okEnvelope(responseText: string, execMs: number, hierarchy = ENGINE): string {
  return `{"status": "OK", "response": ${responseText}${tail(execMs, hierarchy)}`;
}

/**
 * Returns the envelope of `/svc/<service>`, which no executor runs. `port` is the port of the
 * request, `offset` 1 on the admin port.
 */
export function serviceEnvelope(
  responseText: string,
  port: number,
  offset: 0 | 1,
  execMs: number,
): string {
  const where = origin(port, offset, 0);
  return `{"status": "OK", "response": ${responseText}${where}${tail(execMs, ENGINE)}`;
}

/** Returns the envelope of a failure. `messageText` is JSON text: an object, or a quoted string. */
export function errorEnvelope(
  messageText: string,
  port: number,
  offset: 0 | 1,
  execId: number,
  execMs: number,
  hierarchy = ENGINE,
): string {
  const where = origin(port, offset, execId);
  return `{"status": "ERROR", "message": ${messageText}${where}${tail(execMs, hierarchy)}`;
}

function origin(port: number, offset: 0 | 1, execId: number): string {
  return `, "port": [${port}, ${offset}], "exec_id": ${execId}`;
}

function tail(execMs: number, hierarchy: Hierarchy): string {
  const micros = Math.max(0, Math.round(execMs * 1000));
  if (hierarchy === ENGINE && micros < ENGINE_TAILS.length) return ENGINE_TAILS[micros]!;
  const { level, partitions, coverage, explain } = hierarchy;
  const parts = partitions === null ? "null" : `[${partitions.join(", ")}]`;
  const covered = coverage === null ? "" : `, "coverage": ${Math.floor(coverage * 1e4) / 1e4}`;
  const explained = explain === null ? "" : `, "explain": ${explain}`;
  const time = milliseconds(micros);
  return `, "level": ${level}, "partitions": ${parts}, "exec_ms": ${time}${covered}${explained}}`;
}

/** Formats three decimals. `toFixed` costs as much as the rest of the envelope together. */
function milliseconds(micros: number): string {
  const whole = Math.floor(micros / 1000);
  return `${whole}.${FRACTIONS[micros - whole * 1000]!}`;
}
