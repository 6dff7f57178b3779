// Steps of the heat scale: powers of four, so that a slow instance is visible among many fast ones.

/** Returns the step of a value, 0 to 5: up to 1, 2, 4, 8, 16, more. */
export function heatStep(value: number): number {
  if (!(value > 0)) return 0;
  return Math.min(5, Math.max(1, 1 + Math.ceil(Math.log2(Math.max(1, value)))));
}

/** Meanings of the steps that a legend names. */
export const HEAT_LEGEND: readonly (readonly [step: number, meaning: string])[] = [
  [1, "≤ 1"],
  [3, "≤ 4"],
  [5, "> 8"],
];
