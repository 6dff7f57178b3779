// The JSON object around every answer (http-interface, "Response envelope"). Built by joining
// latin1 texts (one character a byte): results are never parsed or rendered a second time.
//
//   {"status": "OK", "response": …, "port": [9000, 0], "exec_id": 0,
//    "level": 0, "partitions": null, "exec_ms": 0.123}
//
// Where partitions of a matrix may lack, `coverage` follows; where a client asks how a dispatched
// request was answered, `explain` is one more key at the end.

const FRACTIONS = Array.from({ length: 1000 }, (_, index) => String(index).padStart(3, "0"));

/** Where an answer was made. */
export interface Hierarchy {
  /** Levels of dispatchers below, this one included. */
  readonly level: number;
  /** `[parts, incomplete, deep]`, null when no back-end took part. */
  readonly partitions: readonly [number, number, number] | null;
  /** Share of the matrix that took part, null where all of it must. */
  readonly coverage: number | null;
  /** JSON text that says how the answer came about, null where nobody asked. */
  readonly explain: string | null;
}

/** Without back-ends. */
export const ENGINE: Hierarchy = { level: 0, partitions: null, coverage: null, explain: null };

/** Success of a plugin or built-in plugin: carries neither port nor executor. */
export function okEnvelope(responseText: string, execMs: number, hierarchy = ENGINE): string {
  return `{"status": "OK", "response": ${responseText}${tail(execMs, hierarchy)}`;
}

/** Success of a `/svc/<service>`. `port` is the port asked, `offset` 1 on the admin port. */
export function serviceEnvelope(
  responseText: string,
  port: number,
  offset: 0 | 1,
  execId: number,
  execMs: number,
): string {
  const where = origin(port, offset, execId);
  return `{"status": "OK", "response": ${responseText}${where}${tail(execMs, ENGINE)}`;
}

/** Any failure. `messageText` is JSON text: an object, or a quoted string. */
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

function tail(execMs: number, { level, partitions, coverage, explain }: Hierarchy): string {
  const parts = partitions === null ? "null" : `[${partitions.join(", ")}]`;
  const covered = coverage === null ? "" : `, "coverage": ${Math.floor(coverage * 1e4) / 1e4}`;
  const explained = explain === null ? "" : `, "explain": ${explain}`;
  const time = milliseconds(execMs);
  return `, "level": ${level}, "partitions": ${parts}, "exec_ms": ${time}${covered}${explained}}`;
}

/** Three decimals. `toFixed` costs as much as the rest of the envelope together. */
function milliseconds(value: number): string {
  const micros = Math.max(0, Math.round(value * 1000));
  const whole = Math.floor(micros / 1000);
  return `${whole}.${FRACTIONS[micros - whole * 1000]!}`;
}
