// The back-ends of this dispatcher, and of the other ones of its system: as cells, as heat for
// many, as a table; with each one's share of the work and its failures.

import { useMemo } from "preact/hooks";
import {
  groupByPartition,
  listBackEnds,
  type NamedMatrix,
  parseCounts,
  parseMatrices,
} from "../data/matrices.js";
import { numberAt } from "../data/node-stat.js";
import { Rates } from "../data/rates.js";
import { useLive } from "../data/server-connection.js";
import { useInstances } from "../data/system-view.js";
import { clipForDisplay, count, plural } from "../data/text.js";
import { Loading } from "../parts/loading.js";
import { BackEndTable, FailureTable } from "../parts/matrix/back-end-table.js";
import { HeatView, type MatrixMetric } from "../parts/matrix/heat-view.js";
import { MatrixCells } from "../parts/matrix/matrix-cells.js";
import { WorkShare } from "../parts/matrix/work-share.js";
import { PageHead } from "../parts/page-head.js";
import { Segments } from "../parts/segments.js";
import { currentRoute, saveStatePart } from "../router.js";

const EVERY_MS = 1000;
/** Not the name of an instance. */
const THIS = "";
/** With more back-ends, the heat map is the default view. */
const MAX_CELLS = 40;
const VIEWS = [
  ["cells", "Cells"],
  ["heat", "Heat"],
  ["table", "Table"],
] as const;
const METRICS = [
  ["p95", "p95"],
  ["rate", "Rate"],
  ["state", "State"],
] as const;

export function Matrix() {
  const rates = useMemo(() => new Rates(), []);
  const { id: own, instances } = useInstances((found, polledAt) => {
    rates.add(polledAt, parseCounts(parseMatrices(found)));
  });
  if (instances.length === 0) return <Waiting />;
  const all = parseMatrices(instances);
  // The own one first.
  const sorted = [...all].sort((a, b) => Number(b.id === own) - Number(a.id === own));
  return (
    <>
      {sorted[0]?.id !== own && <OwnMatrix isAlone={all.length === 0} />}
      {sorted.map((matrix) => (
        <MatrixView key={matrix.id} title={matrix.id} matrix={matrix} rates={rates} />
      ))}
    </>
  );
}

/** The matrix of an instance that its system descriptor does not contain. */
function OwnMatrix({ isAlone }: { readonly isAlone: boolean }) {
  const rates = useMemo(() => new Rates(), []);
  const answer = useLive("svc/matrix", EVERY_MS, (matrix, isGap) => {
    if (isGap) return;
    rates.add(Date.now(), parseCounts([{ id: THIS, partitions: groupByPartition(matrix) }]));
  });
  if (answer === null) return isAlone ? <Waiting /> : null;
  const partitions = groupByPartition(answer);
  if (partitions.length > 0) {
    return <MatrixView title="this instance" matrix={{ id: THIS, partitions }} rates={rates} />;
  }
  return (
    <>
      <PageHead title="Matrix" />
      <p class="soft">This instance has no back-ends.</p>
    </>
  );
}

function Waiting() {
  return (
    <>
      <PageHead title="Matrix" />
      <Loading what="matrix" />
    </>
  );
}

interface MatrixViewProps {
  readonly title: string;
  readonly matrix: NamedMatrix;
  readonly rates: Rates;
}

function MatrixView({ title, matrix, rates }: MatrixViewProps) {
  const { params } = currentRoute.value;
  const backEnds = listBackEnds(matrix, rates);
  const { partitions } = matrix;
  const usual = backEnds.length > MAX_CELLS ? "heat" : "cells";
  const view = VIEWS.find(([value]) => value === params.get("view"))?.[0] ?? usual;
  const metric: MatrixMetric = METRICS.find(([value]) => value === params.get("by"))?.[0] ?? "p95";
  const height = Math.max(...partitions.map((replicas) => replicas.length));
  const channels = backEnds.reduce((sum, { backEnd }) => sum + numberAt(backEnd, "channels"), 0);
  const running = backEnds.reduce((sum, { backEnd }) => sum + numberAt(backEnd, "running"), 0);
  return (
    <>
      <PageHead
        title={`Matrix of ${clipForDisplay(title, 60)}`}
        about={
          `${plural(partitions.length, "partition")} × ${plural(height, "replica")}, ` +
          `${count(running)} of ${count(channels)} channels in use`
        }
      >
        <Segments
          label="View"
          value={view}
          among={VIEWS}
          onChoose={(value) => saveStatePart("view", value)}
        />
        {view === "heat" && (
          <Segments
            label="Color by"
            value={metric}
            among={METRICS}
            onChoose={(value) => saveStatePart("by", value)}
          />
        )}
      </PageHead>
      <div class="work">
        <div class="stack">
          {view === "cells" && <MatrixCells matrix={matrix} rates={rates} />}
          {view === "heat" && <HeatView backEnds={backEnds} metric={metric} />}
          {view === "table" && <BackEndTable backEnds={backEnds} />}
        </div>
        <div class="stack">
          <WorkShare matrix={matrix} backEnds={backEnds} />
          <FailureTable backEnds={backEnds} />
        </div>
      </div>
    </>
  );
}
