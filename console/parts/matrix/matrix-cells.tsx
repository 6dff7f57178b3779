// A matrix as cells: a row for each replica, a column for each partition; a cell shows state, rate
// over time, latency and channels of a back-end.

import {
  FAILURES,
  listBackEnds,
  type NamedMatrix,
  type PlacedBackEnd,
} from "../../data/matrices.js";
import { isAt, numberAt } from "../../data/node-stat.js";
import type { Rates } from "../../data/rates.js";
import { clipForDisplay, count, milliseconds, rate } from "../../data/text.js";
import { Badge } from "../badge.js";
import { PageLink } from "../page-link.js";
import { Spark } from "../spark.js";

/** Maximum size; larger matrices are shown as heat map or table. */
const MAX_ROWS = 16;
const MAX_COLUMNS = 12;

interface MatrixCellsProps {
  readonly matrix: NamedMatrix;
  readonly rates: Rates;
}

export function MatrixCells({ matrix, rates }: MatrixCellsProps) {
  const { partitions } = matrix;
  const backEnds = listBackEnds(matrix, rates);
  const height = Math.max(...partitions.map((replicas) => replicas.length));
  const rows = Array.from({ length: Math.min(height, MAX_ROWS) }, (_, index) => index);
  const columns = partitions.slice(0, MAX_COLUMNS).map((_, index) => index);
  const isCut = height > MAX_ROWS || partitions.length > MAX_COLUMNS;
  const maximum = Math.max(
    1,
    ...backEnds.flatMap(({ key }) => rates.history(key).map((value) => value ?? 0)),
  );
  const find = (partition: number, row: number) =>
    backEnds.find((backEnd) => backEnd.partition === partition && backEnd.row === row);
  return (
    <section class="card">
      <header>
        <h2>Partitions and replicas</h2>
        <span class="end soft s">
          one request goes to one replica of each partition
          {isCut && `, the first ${MAX_ROWS} × ${MAX_COLUMNS} are shown`}
        </span>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard */}
      <section class="tw" tabIndex={0} aria-label="Partitions and replicas">
        <table class="mxt">
          <thead>
            <tr>
              <th scope="col">Replica</th>
              {columns.map((partition) => (
                <th key={partition} scope="col">
                  Partition {partition}
                  <span class="end soft">{partitionRate(backEnds, partition)} /s</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row}>
                <RowHead row={row} first={find(0, row)?.backEnd} />
                {columns.map((partition) => {
                  const found = find(partition, row);
                  return (
                    <td key={partition}>
                      {found !== undefined && (
                        <Cell found={found} values={rates.history(found.key)} most={maximum} />
                      )}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );
}

function partitionRate(backEnds: readonly PlacedBackEnd[], partition: number): string {
  const members = backEnds.filter((backEnd) => backEnd.partition === partition);
  return rate(members.reduce((sum, backEnd) => sum + (backEnd.rate ?? 0), 0));
}

function RowHead({ row, first }: { readonly row: number; readonly first: unknown }) {
  return (
    <th scope="row">
      Replica {row}
      <div class="soft s">
        {isAt(first, "primary") && "primary, "}priority {numberAt(first, "priority")}
      </div>
    </th>
  );
}

interface CellProps {
  readonly found: PlacedBackEnd;
  readonly values: readonly (number | null)[];
  /** Upper end of the common scale of all cells. */
  readonly most: number;
}

function Cell({ found, values, most }: CellProps) {
  const { name, backEnd, state, rate: perSecond, p95Ms, failures } = found;
  const failed = FAILURES.map((kind, at) => [kind, failures[at]!] as const)
    .filter(([, many]) => many > 0)
    .map(([kind, many]) => `${count(many)} ${kind}`);
  const figure = (of: string) => count(numberAt(backEnd, of));
  const tone = state.tone === "ok" ? "" : state.tone;
  return (
    <div class={`cell ${tone}`}>
      <div class="m">
        <strong class="clip">{clipForDisplay(name, 60)}</strong>
        <Badge state={{ ...state, word: clipForDisplay(state.word, 40) }} />
      </div>
      <Spark
        values={values}
        max={most}
        tone={state.tone === "err" ? "err" : ""}
        label={`Requests per second of ${clipForDisplay(name, 60)}`}
      />
      <div class="m figure">
        <span>
          <strong>{perSecond === null ? "–" : rate(perSecond)}</strong> /s
        </span>
        <span>p95 {p95Ms === null ? "–" : milliseconds(p95Ms)}</span>
      </div>
      <div class="m">
        <span>
          {figure("running")} of {figure("channels")} channels
        </span>
        <span>{figure("answered")} answered</span>
      </div>
      {state.isWarning && (
        <div class="m">
          <span>failed: {failed.join(", ") || "0"}</span>
          <PageLink to={`logs?${new URLSearchParams({ text: "back-end" })}`}>Log</PageLink>
        </div>
      )}
    </div>
  );
}
