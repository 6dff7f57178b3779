// The back-ends of a dispatcher: a row for each replica, a column for each partition.

import { useLive } from "../data/live.js";
import { isAt, numberAt, textAt } from "../data/node-stat.js";
import type { State } from "../data/state-of.js";
import { count, shown } from "../data/text.js";
import { Badge } from "../parts/badge.js";

const EVERY_MS = 1000;

/** States of a back-end as the server calls them. */
const TONES: ReadonlyMap<string, State["tone"]> = new Map([
  ["up", "good"],
  ["ejected", "warn"],
  ["down", "bad"],
]);

export function Matrix() {
  const answer = useLive("svc/matrix", EVERY_MS);
  if (answer === null) return <p class="quiet">Reading the matrix…</p>;
  const partitions = (Array.isArray(answer) ? answer : []).filter(Array.isArray);
  if (partitions.length === 0) return <p class="quiet">This is an engine: it has no matrix.</p>;
  const height = Math.max(...partitions.map((replicas) => replicas.length));
  const rows = Array.from({ length: height }, (_, index) => index);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard
    <section class="card scroll" tabIndex={0} aria-label="Back-ends">
      <table>
        <caption>
          {partitions.length} partitions, {height} replicas
        </caption>
        <thead>
          <tr>
            <th scope="col">Replica</th>
            {partitions.map((_, index) => (
              <th key={index} scope="col">
                Partition {index}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row}>
              <th scope="row">{row}</th>
              {partitions.map((replicas, index) => (
                <td key={index}>{row < replicas.length && <Cell backEnd={replicas[row]} />}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Cell({ backEnd }: { readonly backEnd: unknown }) {
  const word = textAt(backEnd, "state");
  const tone = TONES.get(word) ?? "quiet";
  const state = { word: shown(word, 40), tone, isWarning: tone !== "good" };
  const figure = (name: string) => count(numberAt(backEnd, name));
  return (
    <>
      <Badge state={state} /> {shown(textAt(backEnd, "ip"), 60)}:{numberAt(backEnd, "port")}
      {isAt(backEnd, "primary") && " (primary)"}
      <div class="quiet">
        {figure("running")} running, {figure("answered")} answered
        <br />
        {figure("failures")} failed, {figure("retries")} repeated
      </div>
    </>
  );
}
