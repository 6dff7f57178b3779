// Timeout for responses of external services and of other threads.

/** @throws Error if there is no response in time; a later one is ignored */
export function responseInTime<T>(response: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`no response within ${ms} ms`)), ms).unref();
    response.then(resolve, reject).finally(() => clearTimeout(late));
  });
}
