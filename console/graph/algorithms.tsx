// Graph algorithms that run on this instance, with buttons to cancel them.

import { useState } from "preact/hooks";
import { useAdminActions } from "../data/admin-actions.js";
import { listAt, numberAt, textAt } from "../data/node-stat.js";
import { CANCEL_ALGORITHM } from "../data/operations.js";
import { useLive } from "../data/server-connection.js";
import { clipForDisplay } from "../data/text.js";
import { Age } from "../parts/age.js";
import { ConfirmDialog } from "../parts/confirm.js";
import { DataTable } from "../parts/data-table.js";

const EVERY_MS = 1000;

export function Algorithms() {
  const answer = useLive("svc/builtin/algorithms", EVERY_MS);
  const desk = useAdminActions();
  const [chosen, setChosen] = useState<number | null>(null);
  const cancel = async (id: number): Promise<void> => {
    setChosen(null);
    const { operation } = CANCEL_ALGORITHM;
    await desk.run({ operation, args: { id: String(id) }, body: null });
  };
  const [last] = desk.done;
  return (
    <section class="card" aria-label="Algorithms">
      <header>
        <h2>Algorithms over whole graphs</h2>
      </header>
      <DataTable
        label="Running algorithms"
        columns={[
          { title: "Graph", cell: (run) => clipForDisplay(textAt(run, "graph"), 60), isHead: true },
          { title: "Algorithm", cell: (run) => textAt(run, "algorithm") },
          { title: "Finished", cell: formatProgress, isNumber: true },
          { title: "Age", cell: renderAge, isNumber: true },
          {
            title: "Operation",
            cell: (run) => (
              <button type="button" class="btn" onClick={() => setChosen(numberAt(run, "id"))}>
                Cancel…
              </button>
            ),
          },
        ]}
        rows={listAt(answer, "running")}
        keyOf={(run) => numberAt(run, "id")}
        empty="No algorithm runs."
      />
      <p role="status" class="soft s status">
        {last !== undefined && clipForDisplay(last.text, 200)}
      </p>
      {chosen !== null && (
        <ConfirmDialog
          operation={CANCEL_ALGORITHM}
          targets={[]}
          word={null}
          onCancel={() => setChosen(null)}
          onDone={() => void cancel(chosen)}
        />
      )}
    </section>
  );
}

function formatProgress(run: unknown): string {
  return `${Math.round(100 * numberAt(run, "progress"))} %`;
}

function renderAge(run: unknown) {
  return <Age isExact of={() => (Date.now() - numberAt(run, "sinceMs")) / 1000} />;
}
