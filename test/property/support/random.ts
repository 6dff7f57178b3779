// Numbers for property tests: the same ones for the same seed, which SEED=n sets. Continuous
// integration always uses the same seed, so that it judges the change; local runs use random ones.

const CI_SEED = "20260101";

export const SEED = Number(
  process.env.SEED ?? (process.env.CI ? CI_SEED : Math.floor(Math.random() * 2 ** 31)),
);

export class Random {
  constructor(private state: number = SEED) {}

  /** A number from 0 to `end` - 1. */
  below(end: number): number {
    this.state = (Math.imul(this.state, 1664525) + 1013904223) >>> 0;
    return Math.floor((this.state / 2 ** 32) * end);
  }

  of<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  list<T>(maxItems: number, make: (index: number) => T): T[] {
    return Array.from({ length: this.below(maxItems + 1) }, (_, index) => make(index));
  }
}
