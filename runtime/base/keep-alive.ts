// Keeps a process alive while it waits for another thread. `Atomics.waitAsync` does not hold the
// event loop: a program with nothing else to do would exit in the middle of an `await`.

/** Maximum delay of a timer. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** Settles as `waiting` does, and holds the event loop until then. */
export async function keepAlive<T>(waiting: Promise<T>): Promise<T> {
  const timer = setInterval(() => {}, MAX_DELAY_MS);
  try {
    return await waiting;
  } finally {
    clearInterval(timer);
  }
}
