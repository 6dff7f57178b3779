// Scheduled functions: when each runs next, how its last runs ended, and a button that runs it now.

import { useAdminActions } from "../data/admin-actions.js";
import { isRecord } from "../data/client.js";
import { listAt, numberAt, textAt } from "../data/node-stat.js";
import { useLive } from "../data/server-connection.js";
import { clipForDisplay, count, milliseconds } from "../data/text.js";
import { Badge } from "../parts/badge.js";
import { type Column, DataTable } from "../parts/data-table.js";
import { Icon } from "../parts/icon.js";
import { currentRoute, saveStatePart } from "../router.js";

const EVERY_MS = 1000;
const MAX_TEXT = 200;

export function Jobs() {
  const jobName = useLive("svc/builtin/jobs", EVERY_MS);
  const jobs = Array.isArray(jobName) ? jobName : [];
  const wanted = currentRoute.value.params.get("job") ?? "";
  const chosen = jobs.find((job) => textAt(job, "name") === wanted) ?? jobs[0];
  return (
    <>
      <section class="card">
        <header>
          <h2>Scheduled functions</h2>
          <span class="end soft s">choose one to show its last runs</span>
        </header>
        <DataTable
          label="Scheduled functions"
          columns={JOBS}
          rows={jobs}
          keyOf={nameOf}
          isSelected={(job) => job === chosen}
          empty={jobName === null ? "Loading jobs…" : "No function has the tag @cron or @every."}
        />
      </section>
      {chosen !== undefined && <Runs job={chosen} />}
    </>
  );
}

const nameOf = (job: unknown): string => textAt(job, "name");
const counted = (job: unknown, ...outcomes: string[]): string =>
  count(outcomes.reduce((sum, outcome) => sum + numberAt(job, "counts", outcome), 0));

const JOBS: readonly Column<unknown>[] = [
  {
    title: "Job",
    isHead: true,
    cell: (job) => (
      <button type="button" class="link" onClick={() => saveStatePart("job", nameOf(job))}>
        {clipForDisplay(nameOf(job), 60)}
      </button>
    ),
  },
  { title: "Schedule", cell: (job) => clipForDisplay(textAt(job, "schedule"), 60) },
  { title: "Next run", cell: nextRun },
  { title: "State", isOptional: true, cell: describeState },
  { title: "Completed", isNumber: true, isOptional: true, cell: (job) => counted(job, "ok") },
  {
    ...{ title: "Failed", isNumber: true },
    cell: (job) => counted(job, "failed", "timeout", "interrupted"),
  },
  {
    ...{ title: "Missed", isNumber: true, isOptional: true },
    cell: (job) => count(numberAt(job, "missed")),
  },
];

function nextRun(job: unknown) {
  const next = numberAt(job, "next");
  return <span class="tn">{next > 0 ? dateText(next * 1000) : "not on this instance"}</span>;
}

function describeState(job: unknown) {
  const isRunning = numberAt(job, "running") > 0;
  return (
    <Badge state={isRunning ? { tone: "ok", word: "running" } : { tone: "unk", word: "waiting" }} />
  );
}

function Runs({ job }: { readonly job: unknown }) {
  const desk = useAdminActions();
  const name = textAt(job, "name");
  const run = () => desk.run({ operation: "RunJob", args: { name }, body: null });
  const [last] = desk.done;
  return (
    <section class="card">
      <header>
        <h2>Last runs of {clipForDisplay(name, 60)}</h2>
        <span class="end row">
          <span role="status" class="soft s">
            {last !== undefined && clipForDisplay(last.text, MAX_TEXT)}
          </span>
          <button class="btn" type="button" onClick={() => void run()}>
            <Icon name="play" />
            Run now
          </button>
        </span>
      </header>
      <DataTable
        label="Last runs"
        columns={RUNS}
        rows={listAt(job, "runs").filter(isRecord)}
        keyOf={(run) => `${numberAt(run, "scheduledMs")}/${numberAt(run, "startedMs")}`}
        empty="It has not run yet."
      />
    </section>
  );
}

const RUNS: readonly Column<unknown>[] = [
  {
    title: "Started",
    cell: (run) => <span class="tn">{dateText(numberAt(run, "startedMs"))}</span>,
  },
  {
    ...{ title: "Scheduled", isOptional: true },
    cell: (run) => <span class="tn">{dateText(numberAt(run, "scheduledMs"))}</span>,
  },
  { title: "Outcome", cell: renderOutcome },
  {
    ...{ title: "ms", isNumber: true },
    cell: (run) => milliseconds(numberAt(run, "durationMs")).replace(" ms", ""),
  },
  {
    title: "Result or error",
    cell: (run) => <span class="entry">{clipForDisplay(textAt(run, "text"), MAX_TEXT)}</span>,
  },
];

function renderOutcome(run: unknown) {
  const word = textAt(run, "outcome");
  return <Badge state={{ tone: word === "ok" ? "ok" : "err", word: clipForDisplay(word, 30) }} />;
}

function dateText(ms: number): string {
  return new Date(ms).toLocaleString("sv-SE");
}
