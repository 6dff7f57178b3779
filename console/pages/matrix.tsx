// The back-ends of this dispatcher, and of the other ones of its system.

import { useMemo } from "preact/hooks";
import { groupByPartition, parseCounts, parseMatrices } from "../data/matrices.js";
import { textAt } from "../data/node-stat.js";
import { Rates } from "../data/rates.js";
import { useLive } from "../data/server-connection.js";
import { useInstances } from "../data/system-view.js";
import { clipForDisplay } from "../data/text.js";
import { MatrixTable } from "../parts/matrix-table.js";

const EVERY_MS = 1000;
/** No instance has this name. */
const THIS = "";

export function Matrix() {
  const rates = useMemo(() => new Rates(), []);
  const { overview, instances } = useInstances((found) => {
    rates.add(Date.now(), parseCounts(parseMatrices(found)));
  });
  const own = textAt(overview, "id");
  const others = parseMatrices(instances).filter(({ id }) => id !== own);
  return (
    <>
      <LocalMatrixView />
      {others.map((matrix) => (
        <MatrixTable
          key={matrix.id}
          title={`Back-ends of ${clipForDisplay(matrix.id, 60)}`}
          matrix={matrix}
          rates={rates}
          isWhole
        />
      ))}
    </>
  );
}

function LocalMatrixView() {
  const rates = useMemo(() => new Rates(), []);
  const answer = useLive("svc/matrix", EVERY_MS, (matrix, isGap) => {
    if (!isGap)
      rates.add(Date.now(), parseCounts([{ id: THIS, partitions: groupByPartition(matrix) }]));
  });
  if (answer === null) return <p class="soft">Loading the matrix…</p>;
  const partitions = groupByPartition(answer);
  if (partitions.length === 0) return <p class="soft">This is an engine: it has no matrix.</p>;
  const matrix = { id: THIS, partitions };
  const title = "Back-ends of this instance";
  return <MatrixTable title={title} matrix={matrix} rates={rates} isWhole />;
}
