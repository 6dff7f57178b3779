// How often tests with random input, kills or faults repeat: seldom in a usual run, so that people
// run it; often with `node test/run.mjs --long`, before a release and after changes of what they
// test. ROUNDS=n chooses the factor.

const USUAL = 0.4;
const FACTOR = Number(process.env.ROUNDS ?? USUAL);

/** @param many repetitions where ROUNDS is 1 */
export function rounds(many: number): number {
  return Math.ceil(many * FACTOR);
}
