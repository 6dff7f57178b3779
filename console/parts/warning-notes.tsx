// Problems of instances, the worst first, with their start and actions that solve them.

import { consoleUrl, type Instance } from "../data/instances.js";
import { isAt, numberAt, textAt } from "../data/node-stat.js";
import { clipForDisplay, clockTime } from "../data/text.js";
import { Age } from "./age.js";
import { Note } from "./note.js";
import { PageLink } from "./page-link.js";

const MAX_NOTES = 3;

export function WarningNotes({ instances }: { readonly instances: readonly Instance[] }) {
  const rank = ({ state }: Instance) => (state.tone === "err" ? 0 : 1);
  const problems = instances
    .filter(({ state }) => state.isWarning)
    .sort((a, b) => rank(a) - rank(b));
  return (
    <>
      {problems.slice(0, MAX_NOTES).map((instance) => (
        <Warning key={instance.id} instance={instance} />
      ))}
      {problems.length > MAX_NOTES && (
        <p class="soft">{problems.length - MAX_NOTES} more instances to check are in the table.</p>
      )}
    </>
  );
}

function Warning({ instance }: { readonly instance: Instance }) {
  const { id, state, entry, node } = instance;
  const logs = consoleUrl(instance, "logs", location.protocol);
  const isOut = node !== null && node !== undefined && !isAt(node, "service-in");
  return (
    <Note
      isError={state.tone === "err"}
      actions={
        <>
          {logs !== null && node !== undefined && (
            <a class="btn" href={logs}>
              Log
            </a>
          )}
          <PageLink className="btn" to={`admin?${new URLSearchParams({ on: id })}`}>
            {isOut ? "Service in…" : "Operate…"}
          </PageLink>
        </>
      }
    >
      <strong>
        {clipForDisplay(id || "This instance", 60)}: {state.word}.
      </strong>{" "}
      {explain(instance)}
      {isAt(entry, "error") && <Since ms={() => numberAt(entry, "unreachable-ms")} />}
    </Note>
  );
}

function Since({ ms }: { readonly ms: () => number }) {
  return (
    <>
      {" "}
      No response for <Age of={() => ms() / 1000} isExact />, since {clockTime(Date.now() - ms())}.
    </>
  );
}

const EXPLANATIONS: Readonly<Record<string, string>> = {
  Partial: "A partition has no replica in service, so requests to it fail.",
  Degraded: "Some replicas are out of service; others have their requests.",
  Slow: "It responds late, or not to all requests.",
  "No Input": "It has no provider, so its data gets old.",
  "OK/Delta": "Its data differs from that of its provider or of other replicas.",
  "Disk full": "Changes are refused until there is space again.",
  "Log failed": "Changes are refused: the transaction log cannot be written.",
};

/** Explains the state of an instance to operators. */
function explain({ state, node }: Instance): string {
  const reason = textAt(node, "service-out-reason");
  if (state.word === "S-OUT") {
    return `Plugins answer 503${reason === "" ? "" : `, reason: ${clipForDisplay(reason, 120)}`}.`;
  }
  const known = EXPLANATIONS[state.word];
  if (known !== undefined) return known;
  return state.tone === "err" ? "Requests go to other replicas where there are some." : "";
}
