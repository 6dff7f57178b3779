// Asks one source again and again while its page is seen: one question in flight, none from a
// hidden tab, and after failures ever more seldom, so that a server in trouble is left in peace.

const PATIENCE = [1, 2, 4, 8, 15];
/** An instance that is back is to be seen soon, and one page costs it little. */
const MOST_WAIT_MS = 2500;
/** Polls ask at the same moments where they can: what comes together is drawn once. */
const BEAT_MS = 500;

export interface Timers {
  /** Milliseconds from the same moment for all polls. */
  now(): number;
  set(run: () => void, ms: number): unknown;
  clear(timer: unknown): void;
}

export interface Poll {
  ask(): Promise<void>;
  /** Told once for each failure in a row. */
  failed(error: unknown): void;
  isHidden(): boolean;
  readonly everyMs: number;
}

/** Asks at once, then every `everyMs`; the returned function ends it. */
export function startPoll(poll: Poll, timers: Timers): () => void {
  let isOver = false;
  let failures = 0;
  let timer: unknown;
  const later = (): void => {
    if (isOver) return;
    const factor = PATIENCE[Math.min(failures, PATIENCE.length - 1)]!;
    const waitMs = Math.min(poll.everyMs * factor, Math.max(poll.everyMs, MOST_WAIT_MS));
    const early = poll.everyMs < 2 * BEAT_MS ? 0 : (timers.now() + waitMs) % BEAT_MS;
    timer = timers.set(() => void turn(), waitMs - early);
  };
  const turn = async (): Promise<void> => {
    if (!poll.isHidden()) {
      try {
        await poll.ask();
        failures = 0;
      } catch (error) {
        failures++;
        if (!isOver) poll.failed(error);
      }
    }
    later();
  };
  void turn();
  return () => {
    isOver = true;
    timers.clear(timer);
  };
}
