// Functions of batches, transactions and views must not be async: one would continue after the
// commit, or after the moment that it reads.

/** @throws TypeError if a function has returned a promise */
export function requireSynchronous(result: unknown, name: string): void {
  if (typeof result === "object" && result !== null && "then" in result) {
    // Unhandled, its error would end the thread.
    if (result instanceof Promise) result.catch(() => undefined);
    throw new TypeError(`${name} function must be synchronous`);
  }
}
