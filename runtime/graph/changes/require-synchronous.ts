// Functions of batches, transactions and views must not be async: they would continue after the
// commit, or read later states of the graph.

/** @throws TypeError if a function has returned a promise */
export function requireSynchronous(result: unknown, name: string): void {
  if (typeof result === "object" && result !== null && "then" in result) {
    // An unhandled rejection would end the thread.
    if (result instanceof Promise) result.catch(() => undefined);
    throw new TypeError(`${name} function must be synchronous`);
  }
}
