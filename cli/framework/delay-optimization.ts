// Commands that compile end after a second or two. By default, V8 optimizes functions even for such
// a short run, which takes a third of the CPU of `svc build`.

import { setFlagsFromString } from "node:v8";

/** Node.js 22 counts calls of a function instead of executed code. */
const FIRST_THAT_COUNTS_CALLS = 22;
/** Newer versions are skipped: V8 writes an error for an unknown flag. */
const LAST_MEASURED = 26;

/** Sets about eight times the default, so that only functions that stay hot are optimized. */
export function delayOptimization(): void {
  const major = Number.parseInt(process.versions.node, 10);
  if (major > LAST_MEASURED) return;
  const countsCalls = major >= FIRST_THAT_COUNTS_CALLS;
  setFlagsFromString(
    countsCalls ? "--invocation-count-for-turbofan=30000" : "--interrupt-budget=1000000",
  );
}
