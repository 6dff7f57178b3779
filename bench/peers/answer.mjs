// Response of every peer: the envelope of svc, so that all send the same bytes.

/** Returns the JSON text of the endpoint `double`; `n` is its parameter as text. */
export function answer(n, startedMs) {
  const value = Number.parseInt(n, 10);
  if (!Number.isSafeInteger(value)) throw new TypeError(`n must be an integer, not ${n}`);
  return JSON.stringify({
    status: "OK",
    response: value * 2,
    level: 0,
    partitions: null,
    exec_ms: Math.round((performance.now() - startedMs) * 1000) / 1000,
  });
}

export const PATH = "/svc/plugin/double";
export const TYPE = "application/json; charset=UTF-8";

/** Prints the port for the benchmark. */
export function announce(port) {
  console.log(`http://127.0.0.1:${port}`);
}
