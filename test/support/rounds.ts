// How often tests with random input, kills or faults repeat: seldom in a usual run, so that people
// run it; often with `node test/run.mjs --long`, before a release and after changes of what they
// test. ROUNDS=n chooses the factor.

const FACTOR = Number(process.env.ROUNDS ?? 1);

/** @param usual repetitions of a usual run */
export function rounds(usual: number): number {
  return Math.ceil(usual * FACTOR);
}
