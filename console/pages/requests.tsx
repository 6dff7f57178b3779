// What the main port's connections are doing, with the oldest work first.

import { useState } from "preact/hooks";
import { useLive } from "../data/live.js";
import { listAt, numberAt, textAt } from "../data/node-stat.js";
import { milliseconds } from "../data/text.js";
import { Table } from "../parts/table.js";

const EVERY_MS = 1000;
/** Work that lasts longer is marked. */
const SLOW_MS = 1000;
/** A connection without a request. */
const IDLE = "READY";

export function Requests() {
  // Details are for trusted clients; others get what everybody may see.
  const [level, setLevel] = useState(2);
  const answer = useLive(`svc/inspect?main=1&level=${level}`, EVERY_MS, (_, isGap) => {
    if (isGap) setLevel(1);
  });
  const open = listAt(answer, "connections");
  const working = open
    .filter((one) => textAt(one, "client", "state") !== IDLE)
    .sort((a, b) => numberAt(b, "request", "exec-ms") - numberAt(a, "request", "exec-ms"));
  return (
    <section class="card">
      <Table
        caption={`${working.length} requests at work on ${open.length} connections`}
        columns={["State", "Age", "Method", "Path", "Client", "Executor", "Back-ends"]}
        rows={working.map(rowOf)}
        empty="all is answered"
      />
    </section>
  );
}

function rowOf(one: unknown): readonly unknown[] {
  const age = numberAt(one, "request", "exec-ms");
  const host = textAt(one, "client", "host");
  return [
    textAt(one, "client", "state"),
    age > SLOW_MS ? `▲ ${milliseconds(age)}` : milliseconds(age),
    textAt(one, "request", "method"),
    textAt(one, "request", "path"),
    host === "" ? "" : `${host}:${numberAt(one, "client", "port")}`,
    textAt(one, "client", "state") === "EXECUTE" ? numberAt(one, "executor", "id") : "",
    numberAt(one, "matrix", "n-channels"),
  ];
}
