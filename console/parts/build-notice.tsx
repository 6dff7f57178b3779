// Notices of `svc dev` on every page: diagnostics of the last build with source lines, and failed
// calls. A server that is not `svc dev` is asked only once.

import { useEffect, useState } from "preact/hooks";
import { fetchValue, isRecord } from "../data/client.js";
import { listAt, numberAt, readPath, textAt } from "../data/node-stat.js";
import { useLive } from "../data/server-connection.js";
import { clipForDisplay } from "../data/text.js";
import { Note } from "./note.js";
import { PageLink } from "./page-link.js";
import { TextBlock } from "./text-block.js";

const EVERY_MS = 1500;
const PATH = "svc/build";
const MAX_SHOWN = 5;
const MAX_LINE = 160;

const TITLES: ReadonlyMap<string, string> = new Map([
  ["build", "The latest sources do not compile. Still serving the last good build."],
  ["load", "The latest build failed to load. Still serving the last good build."],
]);

export function BuildNotice() {
  const [isDev, setDev] = useState(false);
  useEffect(() => {
    fetchValue(PATH).then(
      (answer) => setDev(isRecord(readPath(answer, "build"))),
      // Not available to this client, or on this port.
      () => {},
    );
  }, []);
  return isDev ? <BuildNoticeLines /> : null;
}

function BuildNoticeLines() {
  const answer = useLive(PATH, EVERY_MS);
  const broken = TITLES.get(textAt(answer, "build", "broken"));
  const findings = textAt(answer, "build", "findings");
  const failures = [...listAt(answer, "failures"), ...listAt(answer, "calls")]
    .sort((a, b) => numberAt(b, "at") - numberAt(a, "at"))
    .slice(0, MAX_SHOWN);
  return (
    <>
      {broken !== undefined && <Note isAlert>{broken}</Note>}
      {findings !== "" && (
        <section class="card">
          <h2>Diagnostics of the last build</h2>
          <TextBlock label="Diagnostics of the last build" text={clipLines(findings)} />
        </section>
      )}
      {failures.length > 0 && (
        <details class="card">
          <summary>Calls that have failed: the last {failures.length}</summary>
          {failures.map((failure, index) => (
            <Failure key={failures.length - index} failure={failure} />
          ))}
        </details>
      )}
    </>
  );
}

/** A failed call, its error, and the source lines around the error. */
function Failure({ failure }: { readonly failure: unknown }) {
  const [text, target, body] = [
    textAt(failure, "text"),
    textAt(failure, "target"),
    textAt(failure, "body"),
  ];
  const at = new Date(numberAt(failure, "at")).toLocaleTimeString();
  const formAddress = findFormAddress(target);
  return (
    <>
      <h3>
        {at} {clipForDisplay(`${textAt(failure, "method")} ${target}`)}
      </h3>
      {body !== "" && <p class="soft">with {clipForDisplay(body)}</p>}
      {formAddress !== null && <PageLink to={formAddress}>Try it again</PageLink>}
      <TextBlock label={`Failure at ${at}`} text={clipLines(text)} />
      <Frame frame={readPath(failure, "frame")} />
    </>
  );
}

function Frame({ frame }: { readonly frame: unknown }) {
  const lines = listAt(frame, "lines");
  if (lines.length === 0) return null;
  const [line, first] = [numberAt(frame, "line"), numberAt(frame, "first")];
  const column = Math.max(1, numberAt(frame, "column"));
  const width = String(first + lines.length).length;
  const shownLines = lines.flatMap((text, index) => {
    const number = first + index;
    const code = `${String(number).padStart(width)} | ${clipForDisplay(text, MAX_LINE)}`;
    // Keeps tabs, so that the marker aligns.
    const before = String(text)
      .slice(0, column - 1)
      .replace(/[^\t]/g, " ");
    return number === line ? [code, `${" ".repeat(width)} | ${before}^`] : [code];
  });
  const location = `${textAt(frame, "file")}:${line}:${column}`;
  return (
    <TextBlock
      label={`Source at ${clipForDisplay(location)}`}
      text={[clipForDisplay(location), ...shownLines].join("\n")}
    />
  );
}

/** Returns the address of the plugin's form, filled with a failed call; null for other paths. */
function findFormAddress(target: string): string | null {
  const [path = "", query = ""] = target.split(/\?(.*)/s, 2);
  const [, name] = /\/svc\/plugin\/([^/]+)$/.exec(path) ?? [];
  if (name === undefined) return null;
  const params = new URLSearchParams({ name: decodeName(name) });
  for (const [key, value] of new URLSearchParams(query)) params.append(`v.${key}`, value);
  return `plugin?${params}`;
}

/** Keeps line breaks, and makes invisible and bidirectional control characters visible. */
function clipLines(text: string): string {
  return text
    .split("\n")
    .map((line) => clipForDisplay(line, 2000))
    .join("\n");
}

function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
