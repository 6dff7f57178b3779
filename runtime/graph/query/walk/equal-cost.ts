// Equality of costs of paths.

/** Sums of the same weights in another order differ in their last digits. */
export function isAsCheap(cost: number, minCost: number): boolean {
  return cost <= minCost * (1 + 1e-12);
}
