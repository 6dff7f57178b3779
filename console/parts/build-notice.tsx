// What `svc dev` has to say, on every page: findings of the last build with their source lines, and
// calls that have failed. A server that is no `svc dev` is asked once, and never again.

import { useEffect, useState } from "preact/hooks";
import { askValue, isRecord } from "../data/client.js";
import { useLive } from "../data/live.js";
import { listAt, numberAt, textAt, valueAt } from "../data/node-stat.js";
import { shown } from "../data/text.js";
import { PageLink } from "./page-link.js";
import { TextBlock } from "./text-block.js";

const EVERY_MS = 1500;
const PATH = "svc/build";
const MAX_SHOWN = 5;
const PLUGIN = /^\/svc\/plugin\/(\S+) threw /;

const TITLES: ReadonlyMap<string, string> = new Map([
  ["build", "The newest sources do not build: the last good version serves on."],
  ["load", "The newest build cannot be loaded: the last good version serves on."],
]);

export function BuildNotice() {
  const [isDev, setDev] = useState(false);
  useEffect(() => {
    askValue(PATH).then(
      (answer) => setDev(isRecord(valueAt(answer, "build"))),
      // Not for this client, or not on this port.
      () => {},
    );
  }, []);
  return isDev ? <Told /> : null;
}

function Told() {
  const answer = useLive(PATH, EVERY_MS);
  const broken = TITLES.get(textAt(answer, "build", "broken"));
  const findings = textAt(answer, "build", "findings");
  const failures = listAt(answer, "failures").slice(-MAX_SHOWN).reverse();
  return (
    <>
      {broken !== undefined && (
        <p class="notice" role="alert">
          {broken}
        </p>
      )}
      {findings !== "" && (
        <section class="card">
          <h2>Findings of the last build</h2>
          <TextBlock label="Findings of the last build" text={plain(findings)} />
        </section>
      )}
      {failures.length > 0 && (
        <details class="card">
          <summary>Calls that have failed: the last {failures.length}</summary>
          {failures.map((one) => (
            <Failure key={numberAt(one, "number")} one={one} />
          ))}
        </details>
      )}
    </>
  );
}

function Failure({ one }: { readonly one: unknown }) {
  const text = textAt(one, "text");
  const [, name] = PLUGIN.exec(text) ?? [];
  const at = new Date(numberAt(one, "at")).toLocaleTimeString();
  return (
    <>
      <p>
        {at}{" "}
        {name !== undefined && (
          <PageLink to={`plugin?name=${encodeURIComponent(decoded(name))}`}>
            Try {shown(decoded(name), 60)} again
          </PageLink>
        )}
      </p>
      <TextBlock label={`Failure at ${at}`} text={plain(text)} />
    </>
  );
}

/** Lines stay lines, and marks that turn or hide are shown. */
function plain(text: string): string {
  return text
    .split("\n")
    .map((line) => shown(line, 2000))
    .join("\n");
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
