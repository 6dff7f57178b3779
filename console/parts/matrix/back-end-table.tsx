// Tables of a matrix: all back-ends, and the failures of back-ends.

import { FAILURES, type PlacedBackEnd } from "../../data/matrices.js";
import { numberAt } from "../../data/node-stat.js";
import { clipForDisplay, count, rate } from "../../data/text.js";
import { Badge } from "../badge.js";
import { type Column, DataTable } from "../data-table.js";

/** With more back-ends, the second table lists only back-ends with failures. */
const MAX_WHOLE = 40;

const sumFailures = ({ failures }: PlacedBackEnd): number =>
  failures.reduce((sum, failed) => sum + failed, 0);

interface BackEndTableProps {
  readonly backEnds: readonly PlacedBackEnd[];
}

export function BackEndTable({ backEnds }: BackEndTableProps) {
  return (
    <section class="card" aria-label="Back-ends">
      <DataTable
        label="Back-ends"
        columns={[
          NAME,
          {
            title: "Partition",
            isNumber: true,
            cell: (backEnd) => backEnd.partition,
            sort: byPartition,
          },
          {
            title: "Replica",
            isNumber: true,
            cell: (backEnd) => backEnd.row,
            sort: (backEnd) => backEnd.row,
          },
          {
            ...{ title: "State", sort: ({ state }: PlacedBackEnd) => state.word },
            cell: ({ state }) => (
              <Badge state={{ ...state, word: clipForDisplay(state.word, 40) }} />
            ),
          },
          {
            ...{
              title: "/s",
              isNumber: true,
              sort: (backEnd: PlacedBackEnd) => backEnd.rate ?? -1,
            },
            cell: (backEnd) => (backEnd.rate === null ? "–" : rate(backEnd.rate)),
          },
          {
            ...{
              title: "p95 ms",
              isNumber: true,
              sort: (backEnd: PlacedBackEnd) => backEnd.p95Ms ?? -1,
            },
            cell: (backEnd) => (backEnd.p95Ms === null ? "–" : count(backEnd.p95Ms)),
          },
          figureColumn("running", "Running"),
          figureColumn("channels", "Channels"),
          figureColumn("answered", "Answered"),
          {
            title: "Failed",
            isNumber: true,
            sort: sumFailures,
            cell: (backEnd) => count(sumFailures(backEnd)),
          },
          figureColumn("retries", "Repeated"),
        ]}
        rows={backEnds}
        keyOf={({ key }) => key}
        empty="No back-ends."
      />
    </section>
  );
}

export function FailureTable({ backEnds }: BackEndTableProps) {
  const isLong = backEnds.length > MAX_WHOLE;
  const listed = isLong ? backEnds.filter((backEnd) => sumFailures(backEnd) > 0) : backEnds;
  return (
    <section class="card tight" aria-label="Failures">
      <header>
        <h2>Failures</h2>
        <span class="end soft s">since the start of the dispatcher</span>
      </header>
      <DataTable
        label="Failures"
        columns={[NAME, ...FAILURES.map(failureColumn)]}
        rows={listed}
        keyOf={({ key }) => key}
        empty="No back-end has failed."
      />
    </section>
  );
}

const NAME: Column<PlacedBackEnd> = {
  ...{ title: "Back-end", isHead: true, sort: ({ name }: PlacedBackEnd) => name },
  cell: ({ name }) => clipForDisplay(name, 60),
};

function failureColumn(title: string, at: number): Column<PlacedBackEnd> {
  const value = ({ failures }: PlacedBackEnd) => failures[at]!;
  return {
    ...{ title, isNumber: true, sort: value },
    cell: (backEnd) => {
      const failed = value(backEnd);
      return failed === 0 ? <span class="faint">0</span> : <strong>{count(failed)}</strong>;
    },
  };
}

function byPartition({ partition, row }: PlacedBackEnd): number {
  return partition * 1e6 + row;
}

function figureColumn(name: string, title: string): Column<PlacedBackEnd> {
  const value = ({ backEnd }: PlacedBackEnd) => numberAt(backEnd, name);
  return { title, isNumber: true, sort: value, cell: (backEnd) => count(value(backEnd)) };
}
