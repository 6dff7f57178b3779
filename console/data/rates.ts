// Rates of counters over the last few samples, so that a single late sample causes no peak.

export const MAX_LOOKS = 6;

interface Sample {
  readonly at: number;
  readonly counts: ReadonlyMap<string, number>;
}

const MAX_HISTORY = 60;

export class Rates {
  readonly #history = new Map<string, (number | null)[]>();
  #samples: readonly Sample[] = [];

  /** @param at milliseconds; a sample that is not newer than the last one is ignored */
  add(at: number, counts: ReadonlyMap<string, number>): void {
    if (at <= (this.#samples.at(-1)?.at ?? Number.NEGATIVE_INFINITY)) return;
    this.#samples = [...this.#samples, { at, counts }].slice(-MAX_LOOKS);
    for (const key of counts.keys()) {
      const values = this.#history.get(key) ?? [];
      values.push(this.of(key));
      this.#history.set(key, values.slice(-MAX_HISTORY));
    }
  }

  /** The rates at the last calls of `add`. */
  history(key: string): readonly (number | null)[] {
    return this.#history.get(key) ?? [];
  }

  /** Rate per second; null with too few samples or after a counter reset. */
  of(key: string): number | null {
    const known = this.#samples.filter(({ counts }) => counts.has(key));
    const [first, last] = [known[0], known.at(-1)];
    if (first === undefined || last === undefined || first === last) return null;
    const more = last.counts.get(key)! - first.counts.get(key)!;
    return more < 0 ? null : (1000 * more) / (last.at - first.at);
  }
}
