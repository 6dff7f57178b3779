// The report of a replay.

import type { DifferingResponse, Latencies, ReplayOutcome } from "./outcome.js";

const COLUMNS = ["p50", "p95", "p99", "max"] as const;
const WIDTH = 10;
const MAX_REQUEST = 100;

/** Returns lines for people, each with a line end. */
export function replayReport(outcome: ReplayOutcome): string {
  const { sent, seconds, left, recorded, now, differing, examples } = outcome;
  const reasons = Object.entries(left).map(([reason, count]) => `  ${count} skipped: ${reason}`);
  const others = differing - examples.length;
  return [
    `replayed ${sent} requests in ${seconds.toFixed(1)} s`,
    ...reasons,
    ...(recorded === null || now === null ? [] : table(recorded, now)),
    conclusion(outcome),
    ...examples.map(line),
    ...(others > 0 ? [`  and ${others} more`] : []),
    "",
  ].join("\n");
}

function conclusion({ sent, differing }: ReplayOutcome): string {
  if (sent === 0) return "no request of the recording was sent: nothing was compared";
  return differing === 0 ? "all responses match the recording" : `${differing} responses differ`;
}

function table(recorded: Latencies, now: Latencies): string[] {
  const row = (name: string, cells: readonly string[]) =>
    name.padEnd(WIDTH) + cells.map((cell) => cell.padStart(WIDTH)).join("");
  const figures = (latencies: Latencies) => COLUMNS.map((name) => latencies[name].toFixed(1));
  return [row("ms", COLUMNS), row("recorded", figures(recorded)), row("now", figures(now))];
}

function line({ request, difference, recorded, now }: DifferingResponse): string {
  const shown = printable(request);
  switch (difference) {
    case "status":
      return `  ${shown}  ${recorded} -> ${now}`;
    case "answer":
      return `  ${shown}  different response`;
    case "failure":
      return `  ${shown}  ${recorded} -> no response: ${printable(String(now))}`;
  }
}

/** Requests contain untrusted text, which must not control the terminal. */
function printable(text: string): string {
  const clipped = text.length > MAX_REQUEST ? `${text.slice(0, MAX_REQUEST)}...` : text;
  return clipped.replace(/\p{Cc}/gu, (character) => encodeURIComponent(character));
}
