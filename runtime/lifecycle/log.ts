// The server's log: one line an event on standard error. Requests are counted, not logged.

/** Writes `svc: <text>`. */
export function log(text: string): void {
  process.stderr.write(`svc: ${text}\n`);
}
