// Detects asynchronous results of user code. Promises of libraries are no `Promise`, and may be
// callable objects.

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  const isObject = typeof value === "object" ? value !== null : typeof value === "function";
  return isObject && typeof (value as { then?: unknown }).then === "function";
}
