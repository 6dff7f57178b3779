// Source text of plugins that measure themselves: `repeat` calls a function for a while.

/** Begins a module of plugins that imports nothing from `node:fs` itself. */
export const TIMED = `import { openSync, readSync } from "node:fs";

const SCHEDULED = openSync("/proc/thread-self/schedstat", "r");
const FIELDS = Buffer.alloc(64);

/** Returns milliseconds without waits for a core, and milliseconds on a core. */
function ownMs(): [own: number, cpu: number] {
  const length = readSync(SCHEDULED, FIELDS, 0, FIELDS.length, 0);
  const [cpuNs, waitedNs] = FIELDS.toString("latin1", 0, length).split(" ");
  return [performance.now() - Number(waitedNs) / 1e6, Number(cpuNs) / 1e6];
}

/** Calls a function for a time; returns calls per second, and per second of CPU time. */
function repeat(ms: number, call: () => void): number[] {
  const begun = ownMs();
  let calls = 0;
  let now = begun;
  for (; now[0] - begun[0] < ms; now = ownMs()) {
    for (let count = 0; count < 16; count++) call();
    calls += 16;
  }
  return now.map((end, at) => (1000 * calls) / (end - begun[at]!));
}
`;
