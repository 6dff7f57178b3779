// Cleaning up at the end of a script, also if an error or a signal ends it.

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];
let isPrepared = false;

/** @param undo runs when this process ends; what it does later than this call is lost */
export function atExit(undo) {
  if (!isPrepared) for (const signal of SIGNALS) process.on(signal, () => process.exit(1));
  isPrepared = true;
  process.once("exit", undo);
}
