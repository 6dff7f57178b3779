// Cleaning up at the end of a script, also if an error or a signal ends it.

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];
const steps = [];
let isPrepared = false;

/**
 * @param undo runs when this process ends; what it does later than this call is lost
 * @returns a function that cancels it
 */
export function atExit(undo) {
  if (!isPrepared) prepare();
  steps.push(undo);
  return () => {
    const place = steps.indexOf(undo);
    if (place >= 0) steps.splice(place, 1);
  };
}

function prepare() {
  isPrepared = true;
  for (const signal of SIGNALS) process.on(signal, () => process.exit(1));
  process.once("exit", () => {
    // The last one first: processes end before their folders are removed.
    for (const undo of steps.reverse()) attempt(undo);
  });
}

function attempt(undo) {
  try {
    undo();
  } catch (error) {
    console.error(error);
    process.exitCode = 1;
  }
}
