// Requests of the main port: in progress, the last, slowest and failed ones; facets and a filter
// narrow them, and the chosen one shows where its time went.

import { signal } from "@preact/signals";
import { useEffect, useMemo, useState } from "preact/hooks";
import { nameAddress } from "../data/instances.js";
import {
  askedBackEnds,
  parseRecords,
  type RequestList,
  type RequestRecord,
  readCounts,
} from "../data/request-records.js";
import { useLive } from "../data/server-connection.js";
import { systemView } from "../data/system-view.js";
import { clipForDisplay, milliseconds, preciseTime } from "../data/text.js";
import { Badge } from "../parts/badge.js";
import { CheckFacets, type FacetGroup } from "../parts/check-facets.js";
import { type Column, DataTable } from "../parts/data-table.js";
import { PageHead } from "../parts/page-head.js";
import { RequestDetail } from "../parts/request-detail.js";
import { Segments } from "../parts/segments.js";
import { currentRoute, saveStatePart } from "../router.js";
import { RunningRequests } from "./running-requests.js";

const EVERY_MS = 1500;
const LISTS = [
  ["running", "Running"],
  ["recent", "Recent"],
  ["slow", "Slowest"],
  ["failed", "Failed"],
] as const;

/** Lengths of the recorded lists in the last response. */
const counts = signal<Readonly<Partial<Record<RequestList, string>>>>({});

export function Requests() {
  const { params } = currentRoute.value;
  const list = LISTS.find(([value]) => value === params.get("list"))?.[0] ?? "recent";
  return (
    <>
      <PageHead
        title="Requests"
        beside={
          <Segments
            label="List"
            value={list}
            among={LISTS}
            counts={counts.value}
            onChoose={(value) => {
              saveStatePart("list", value);
              saveStatePart("number", "");
            }}
          />
        }
      >
        {list !== "running" && (
          <input
            data-filter
            id="request-filter"
            aria-label="Filter requests"
            placeholder="plugin:largest ms:>5 status:200"
            value={params.get("filter") ?? ""}
            onInput={(event) => saveStatePart("filter", event.currentTarget.value)}
          />
        )}
      </PageHead>
      {list === "running" ? <RunningRequests /> : <Recorded key={list} list={list} />}
    </>
  );
}

function Recorded({ list }: { readonly list: RequestList }) {
  const answer = useLive(`svc/requests?state=${list}&count=1000`, EVERY_MS, (found) => {
    if (found !== null) counts.value = readCounts(found);
  });
  const records = useMemo(() => parseRecords(answer), [answer]);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const { params } = currentRoute.value;
  const filtered = records.filter((record) => fits(record, params.get("filter") ?? ""));
  const groups = facetGroups(filtered);
  const found = filtered.filter((record) => groups.every((group) => group.has(record, chosen)));
  const number = Number(params.get("number") ?? 0);
  const [lastPicked, setLastPicked] = useState<RequestRecord | null>(null);
  const picked = records.find((record) => record.number === number);
  useEffect(() => {
    if (picked !== undefined) setLastPicked(picked);
  }, [picked]);
  const shown =
    number === 0 ? undefined : (picked ?? (lastPicked?.number === number ? lastPicked : undefined));
  return (
    <div class="two">
      <CheckFacets groups={groups} chosen={chosen} onChoose={setChosen} />
      <div class="stack">
        <section class={shown === undefined ? "card" : "card short"} aria-label="Requests">
          <DataTable
            label="Requests"
            columns={COLUMNS}
            rows={found}
            keyOf={(record) => record.number}
            isSelected={(record) => record.number === number}
            empty={answer === null ? "Loading requests…" : "No request is recorded here."}
          />
        </section>
        {shown !== undefined && <RequestDetail key={shown.number} record={shown} />}
      </div>
    </div>
  );
}

const COLUMNS: readonly Column<RequestRecord>[] = [
  {
    title: "At",
    cell: ({ at }) => <span class="tn">{preciseTime(at)}</span>,
    sort: ({ at }) => at,
  },
  { title: "Request", isHead: true, cell: nameCell, sort: ({ plugin }) => plugin },
  { title: "Status", cell: statusCell, sort: ({ status }) => status },
  {
    ...{ title: "ms", isNumber: true, sort: ({ ms }: RequestRecord) => ms },
    cell: ({ ms }) => milliseconds(ms).replace(" ms", ""),
  },
  { title: "queue, run, back-ends", isOptional: true, cell: barCell },
  {
    ...{ title: "Back-ends", isOptional: true },
    cell: (record) => clipForDisplay(askedBackEnds(record).map(shortName).join(", "), 60),
  },
];

function shortName(address: string): string {
  return nameAddress(systemView.value.instances, address);
}

function nameCell({ number, plugin, arguments: callArguments }: RequestRecord) {
  return (
    <>
      <button type="button" class="link" onClick={() => saveStatePart("number", String(number))}>
        {clipForDisplay(plugin, 60)}
      </button>
      {callArguments.length > 0 && (
        <div class="faint s mono">
          {clipForDisplay(callArguments.map(([name, size]) => `${name} (${size})`).join(" "), 60)}
        </div>
      )}
    </>
  );
}

function statusCell({ status }: RequestRecord) {
  const tone = status >= 500 ? "err" : status >= 400 ? "warn" : "ok";
  return <Badge state={{ tone, word: String(status) }} />;
}

/** Bar of the duration and its parts, on a scale of a tenth of a second. */
function barCell({ ms, queue, run }: RequestRecord) {
  const width = (value: number) =>
    Math.min(100, (100 * Math.log2(1 + value)) / Math.log2(1 + 1000));
  const whole = width(ms);
  const waited = queue === null ? 0 : (whole * queue) / Math.max(ms, 1e-9);
  const ran = run === null ? whole : (whole * run) / Math.max(ms, 1e-9);
  return (
    <svg
      class="bar"
      viewBox="0 0 100 10"
      preserveAspectRatio="none"
      role="img"
      aria-label={`${milliseconds(ms)}`}
    >
      <rect class="fill-2" x="0" y="1" width={waited} height="8" />
      <rect class="fill-1" x={waited} y="1" width={ran} height="8" />
    </svg>
  );
}

/** Returns whether a request matches words such as `plugin:x`, `ms:>5`, `status:200`, and names. */
function fits(record: RequestRecord, filter: string): boolean {
  return filter
    .trim()
    .split(/\s+/)
    .every((word) => {
      const [, key, value = ""] = /^(plugin|ms|status|method):(.*)$/.exec(word) ?? [];
      if (key === "ms") {
        const limit = Number(value.replace(/^[<>]/, ""));
        return value.startsWith("<") ? record.ms < limit : record.ms > limit;
      }
      if (key === "status") return String(record.status).startsWith(value);
      if (key === "method") return record.method === value.toUpperCase();
      return record.plugin.includes(key === "plugin" ? value : word);
    });
}

const TIMES: readonly (readonly [title: string, min: number, max: number])[] = [
  ["≤ 1 ms", 0, 1],
  ["1 to 5 ms", 1, 5],
  ["5 to 50 ms", 5, 50],
  ["> 50 ms", 50, Number.POSITIVE_INFINITY],
];

type RecordFacet = FacetGroup & {
  has(record: RequestRecord, chosen: ReadonlySet<string>): boolean;
};

function facetGroups(records: readonly RequestRecord[]): readonly RecordFacet[] {
  const time = ({ ms }: RequestRecord) => TIMES.find(([, min, max]) => ms > min && ms <= max)?.[0];
  return [
    facet("Plugin", records, ({ plugin }) => [plugin]),
    facet("Status", records, ({ status }) => [String(status)]),
    facet("Duration", records, (record) => [time(record) ?? TIMES[0]![0]]),
    facet("Back-end", records, (record) => askedBackEnds(record).map(shortName)),
  ];
}

function facet(
  title: string,
  records: readonly RequestRecord[],
  read: (record: RequestRecord) => readonly string[],
): RecordFacet {
  const counts = new Map<string, number>();
  for (const value of records.flatMap(read)) counts.set(value, (counts.get(value) ?? 0) + 1);
  return {
    ...{ title, values: [...counts].sort((a, b) => b[1] - a[1]) },
    has: (record, chosen) => {
      const chosenHere = [...chosen].filter((key) => key.startsWith(`${title}:`));
      return (
        chosenHere.length === 0 || read(record).some((value) => chosen.has(`${title}:${value}`))
      );
    },
  };
}
