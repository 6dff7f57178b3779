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
    .filter((request) => textAt(request, "client", "state") !== IDLE)
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
          request={open.find((candidate) => String(readPath(candidate, "client", "id")) === chosen)}
        />
      )}
    </>
  );
}

function createRow(request: unknown): readonly unknown[] {
  const age = numberAt(request, "request", "exec-ms");
  const host = textAt(request, "client", "host");
  return [
    numberAt(request, "client", "id"),
    textAt(request, "client", "state"),
    age > SLOW_MS ? `▲ ${milliseconds(age)}` : milliseconds(age),
    textAt(request, "request", "method"),
    textAt(request, "request", "path"),
    host === "" ? "" : `${host}:${numberAt(request, "client", "port")}`,
    textAt(request, "client", "state") === "EXECUTE" ? numberAt(request, "executor", "id") : "",
    numberAt(request, "matrix", "n-channels"),
  ];
}

interface DetailProps {
  readonly id: string;
  /** Undefined once the connection is gone. */
  readonly request: unknown;
}

/** Details of a request. They stay visible after it, because most requests are short. */
function Detail({ id, request }: DetailProps) {
  const [last, setLast] = useState<unknown>(undefined);
  const isBusy = request !== undefined && textAt(request, "client", "state") !== IDLE;
  useEffect(() => {
    if (isBusy) setLast(request);
  }, [request]);
  const seen = isBusy ? request : (last ?? request);
  return (
    <section class="card" aria-label="Detail of a request">
      <h2>Connection {clipForDisplay(id, 20)}</h2>
      <p class={isBusy ? "" : "warn"}>
        {isBusy
          ? "In progress."
          : request === undefined
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
    .filter(([, entry]) => !isRecord(entry) && !Array.isArray(entry))
    .map(([name, entry]) => [name, entry === null ? "none" : clipForDisplay(entry)] as const);
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
  const rows = listAt(seen, "matrix", "channels").map((channel) => [
    ...[textAt(channel, "matrix-id"), textAt(channel, "state"), numberAt(channel, "cost")],
    ...[
      numberAt(channel, "bytes-sent"),
      numberAt(channel, "bytes-recv"),
      numberAt(channel, "total-requests"),
    ],
  ]);
  if (rows.length === 0) return null;
  const columns = ["Partition.replica.channel", "State", "Cost", "Sent", "Received", "Requests"];
  return <Table caption="Channels to back-ends" columns={columns} rows={rows} />;
}
