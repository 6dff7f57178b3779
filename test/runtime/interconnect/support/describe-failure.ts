// Expected failures as text.

/** Returns code and message of the error that a promise rejects with; "none" if it resolves. */
export function describeFailure(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => "none",
    ({ code, message }: Error & { code?: string }) => `${code}: ${message}`,
  );
}
