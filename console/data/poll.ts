// Polls one source while its page is visible: one request at a time, none from a hidden tab, and
// with backoff after failures, so that a struggling server gets relief.

const BACKOFF_FACTORS = [1, 2, 4, 8, 15];
/** Short maximum backoff: a recovered instance shows soon, and one page costs little. */
const MAX_WAIT_MS = 2500;
/** Polls align to this interval, so that responses render together. */
const ALIGNMENT_MS = 500;

export interface Timers {
  /** Milliseconds from the same moment for all polls. */
  now(): number;
  set(run: () => void, ms: number): unknown;
  clear(timer: unknown): void;
}

export interface Poll {
  ask(): Promise<void>;
  /** Called once for each consecutive failure. */
  failed(error: unknown): void;
  isHidden(): boolean;
  readonly everyMs: number;
}

/** Polls immediately and then every `everyMs`; returns a function that stops it. */
export function startPoll(poll: Poll, timers: Timers): () => void {
  let isOver = false;
  let failures = 0;
  let timer: unknown;
  const later = (): void => {
    if (isOver) return;
    const factor = BACKOFF_FACTORS[Math.min(failures, BACKOFF_FACTORS.length - 1)]!;
    const waitMs = Math.min(poll.everyMs * factor, Math.max(poll.everyMs, MAX_WAIT_MS));
    const early = poll.everyMs < 2 * ALIGNMENT_MS ? 0 : (timers.now() + waitMs) % ALIGNMENT_MS;
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
