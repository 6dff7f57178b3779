// Scheduled functions: when each runs next, how its last runs ended, and a button that runs it now.

import { useAdminActions } from "../data/admin-actions.js";
import { isRecord } from "../data/client.js";
import { listAt, numberAt, textAt } from "../data/node-stat.js";
import { useLive } from "../data/server-connection.js";
import { clipForDisplay, count } from "../data/text.js";
import { Table } from "../parts/table.js";
import { currentRoute, saveStatePart } from "../router.js";

const EVERY_MS = 1000;
const MAX_TEXT = 200;

export function Jobs() {
  const answer = useLive("svc/builtin/jobs", EVERY_MS);
  const jobs = Array.isArray(answer) ? answer : [];
  const wanted = currentRoute.value.params.get("job") ?? "";
  const chosen = jobs.find((job) => textAt(job, "name") === wanted) ?? jobs[0];
  return (
    <>
      <section class="card">
        <h2>Scheduled functions</h2>
        <Table
          caption="Choose one to show its last runs"
          columns={["Job", "Schedule", "Next run", "State", "Completed", "Failed", "Missed"]}
          rows={jobs.map(jobRow)}
          empty="no function has the tag @cron or @every"
          onPick={([name]) => saveStatePart("job", String(name))}
        />
      </section>
      {chosen !== undefined && <Runs job={chosen} />}
    </>
  );
}

function jobRow(job: unknown): readonly unknown[] {
  const counts = (outcome: string) => numberAt(job, "counts", outcome);
  const next = numberAt(job, "next");
  return [
    textAt(job, "name"),
    textAt(job, "schedule"),
    next > 0 ? dateText(next * 1000) : "not on this instance",
    numberAt(job, "running") > 0 ? "running" : "waiting",
    count(counts("ok")),
    count(counts("failed") + counts("timeout") + counts("interrupted")),
    count(numberAt(job, "missed")),
  ];
}

function Runs({ job }: { readonly job: unknown }) {
  const desk = useAdminActions();
  const name = textAt(job, "name");
  const run = () => desk.run({ operation: "RunJob", args: { name }, body: null });
  const [last] = desk.done;
  return (
    <section class="card">
      <h2>{clipForDisplay(name)}</h2>
      <div class="row">
        <button class="btn main" type="button" onClick={() => void run()}>
          Run now
        </button>
        <span role="status">{last !== undefined && clipForDisplay(last.text, MAX_TEXT)}</span>
      </div>
      <Table
        caption="Last runs"
        columns={["Scheduled", "Started", "Duration, ms", "Outcome", "Result or error"]}
        rows={listAt(job, "runs").filter(isRecord).map(runRow)}
        empty="none yet"
      />
    </section>
  );
}

function runRow(run: unknown): readonly unknown[] {
  return [
    dateText(numberAt(run, "scheduledMs")),
    dateText(numberAt(run, "startedMs")),
    count(numberAt(run, "durationMs")),
    textAt(run, "outcome"),
    clipForDisplay(textAt(run, "text"), MAX_TEXT),
  ];
}

function dateText(ms: number): string {
  return new Date(ms).toLocaleString();
}
