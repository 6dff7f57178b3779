// The requests of the main port's connections, oldest first, and the details of the one in the
// address.

import { useEffect, useState } from "preact/hooks";
import { isRecord } from "../data/client.js";
import { entriesAt, listAt, numberAt, readPath, textAt } from "../data/node-stat.js";
import { useLive } from "../data/server-connection.js";
import { clipForDisplay, milliseconds } from "../data/text.js";
import { StatGrid } from "../parts/stat-grid.js";
import { Table } from "../parts/table.js";
import { currentRoute, saveStatePart } from "../router.js";

const EVERY_MS = 1000;
/** Requests that run for longer are marked. */
const SLOW_MS = 1000;
/** State of a connection without a request. */
const IDLE = "READY";
const PARTS = ["client", "request", "partial", "executor", "headers", "matrix"];

export function RunningRequests() {
  const chosen = currentRoute.value.params.get("id") ?? "";
  // Only trusted clients receive details.
  const [isTrusted, setTrusted] = useState(true);
  const level = !isTrusted ? 1 : chosen === "" ? 2 : 3;
  const answer = useLive(`svc/inspect?main=1&level=${level}`, EVERY_MS, (_, isGap) => {
    if (isGap) setTrusted(false);
  });
  const open = listAt(answer, "connections");
  const working = open
    .filter((one) => textAt(one, "client", "state") !== IDLE)
    .sort((a, b) => numberAt(b, "request", "exec-ms") - numberAt(a, "request", "exec-ms"));
  return (
    <>
      <section class="card">
        <Table
          caption={`${working.length} requests in progress on ${open.length} connections`}
          columns={[
            ...["Connection", "State", "Age", "Method", "Path", "Client"],
            ...["Executor", "Back-ends"],
          ]}
          rows={working.map(createRow)}
          empty="no pending requests"
          onPick={([id]) => saveStatePart("id", String(id))}
        />
      </section>
      {chosen !== "" && (
        <Detail
          key={chosen}
          id={chosen}
          one={open.find((one) => String(readPath(one, "client", "id")) === chosen)}
        />
      )}
    </>
  );
}

function createRow(one: unknown): readonly unknown[] {
  const age = numberAt(one, "request", "exec-ms");
  const host = textAt(one, "client", "host");
  return [
    numberAt(one, "client", "id"),
    textAt(one, "client", "state"),
    age > SLOW_MS ? `▲ ${milliseconds(age)}` : milliseconds(age),
    textAt(one, "request", "method"),
    textAt(one, "request", "path"),
    host === "" ? "" : `${host}:${numberAt(one, "client", "port")}`,
    textAt(one, "client", "state") === "EXECUTE" ? numberAt(one, "executor", "id") : "",
    numberAt(one, "matrix", "n-channels"),
  ];
}

interface DetailProps {
  readonly id: string;
  /** Undefined once the connection is gone. */
  readonly one: unknown;
}

/** Details of a request. They stay visible after it, because most requests are short. */
function Detail({ id, one }: DetailProps) {
  const [last, setLast] = useState<unknown>(undefined);
  const isBusy = one !== undefined && textAt(one, "client", "state") !== IDLE;
  useEffect(() => {
    if (isBusy) setLast(one);
  }, [one]);
  const seen = isBusy ? one : (last ?? one);
  return (
    <section class="card" aria-label="Detail of a request">
      <h2>Connection {clipForDisplay(id, 20)}</h2>
      <p class={isBusy ? "" : "warn"}>
        {isBusy
          ? "In progress."
          : one === undefined
            ? "Closed; showing the last known state."
            : "Completed; showing the last known state."}
      </p>
      {PARTS.map((part) => (
        <Part key={part} title={part} value={readPath(seen, part)} />
      ))}
      <Fields seen={seen} />
      <Channels seen={seen} />
      <button type="button" class="btn" onClick={() => saveStatePart("id", "")}>
        Close
      </button>
    </section>
  );
}

/** One group of plain values. */
function Part({ title, value }: { readonly title: string; readonly value: unknown }) {
  const items = entriesAt(value)
    .filter(([, one]) => !isRecord(one) && !Array.isArray(one))
    .map(([name, one]) => [name, one === null ? "none" : clipForDisplay(one)] as const);
  if (items.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <StatGrid items={items} />
    </>
  );
}

function Fields({ seen }: { readonly seen: unknown }) {
  const rows = entriesAt(seen, "headers", "fields");
  if (rows.length === 0) return null;
  return <Table caption="Header fields" columns={["Name", "Value"]} rows={rows} />;
}

function Channels({ seen }: { readonly seen: unknown }) {
  const rows = listAt(seen, "matrix", "channels").map((one) => [
    ...[textAt(one, "matrix-id"), textAt(one, "state"), numberAt(one, "cost")],
    ...[numberAt(one, "bytes-sent"), numberAt(one, "bytes-recv"), numberAt(one, "total-requests")],
  ]);
  if (rows.length === 0) return null;
  const columns = ["Partition.replica.channel", "State", "Cost", "Sent", "Received", "Requests"];
  return <Table caption="Channels to back-ends" columns={columns} rows={rows} />;
}
