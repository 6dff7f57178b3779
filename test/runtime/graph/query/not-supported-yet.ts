// Worked examples that need what is not built yet: comparison with the previous arc,
// aggregating and nested neighborhoods. They must be refused, never misunderstood. What is built
// leaves this list.

export const NOT_SUPPORTED_YET: ReadonlySet<number> = new Set([
  // V_DYN_
  ...[84, 85, 86, 87],
  // aggregate
  ...[88, 89, 90, 91, 92, 93, 94],
  // nest
  95,
]);
