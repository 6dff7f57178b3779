// Detects busy instances: those with changes in five consecutive samples of the system. Samples are
// seconds apart, however often a page polls.

const LOOK_MS = 4000;
const BUSY_LOOKS = 5;
/** How long an instance must be unchanged to count as idle. */
const IDLE_MS = 5000;

export class BusyDetector {
  #lastAt = Number.NEGATIVE_INFINITY;
  #counts: ReadonlyMap<string, number> = new Map();

  /** @param idleMs milliseconds since the last change, by instance */
  add(at: number, idleMs: ReadonlyMap<string, number>): void {
    if (at - this.#lastAt < LOOK_MS) return;
    this.#lastAt = at;
    const looks = [...idleMs].map(
      ([id, ms]) => [id, ms < IDLE_MS ? (this.#counts.get(id) ?? 0) + 1 : 0] as const,
    );
    this.#counts = new Map(looks);
  }

  isBusy(id: string): boolean {
    return (this.#counts.get(id) ?? 0) >= BUSY_LOOKS;
  }
}
