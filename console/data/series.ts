// The last points of a few values over time, for plots; unknown values are gaps.

export type Point = number | null;

export class Series {
  readonly times: number[] = [];
  readonly values: readonly Point[][];
  readonly #maxPoints: number;

  constructor(lines: number, maxPoints = 300) {
    this.values = Array.from({ length: lines }, () => []);
    this.#maxPoints = maxPoints;
  }

  /** @param at seconds since 1970; a time that is not after the last one is left out */
  add(at: number, points: readonly Point[]): void {
    if (at <= (this.times.at(-1) ?? 0)) return;
    this.times.push(at);
    this.values.forEach((line, index) => {
      line.push(points[index] ?? null);
    });
    if (this.times.length <= this.#maxPoints) return;
    for (const list of [this.times, ...this.values]) list.shift();
  }
}
