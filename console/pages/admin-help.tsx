// Help for operator input: lists of operations, and the descriptor of the system.

import { useState } from "preact/hooks";
import type { AdminActions } from "../data/admin-actions.js";
import { fetchValue } from "../data/client.js";
import { clipForDisplay } from "../data/text.js";

interface DeskProps {
  readonly desk: AdminActions;
}

/** Several operations separated by `;`, parsed as on the server. */
export function Commands({ desk }: DeskProps) {
  const [text, setText] = useState("");
  const isReady = desk.isArmed && text.trim() !== "";
  const run = (): void => {
    if (isReady) void desk.run({ operation: "Console", args: { graph: "_system" }, body: text });
  };
  return (
    <section class="card">
      <h2>Commands</h2>
      <div class="field">
        <label for="commands">
          Operations separated by <code>;</code>; <code>dir</code> lists them
        </label>
        <textarea
          id="commands"
          rows={3}
          value={text}
          spellcheck={false}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || !event.shiftKey) return;
            event.preventDefault();
            run();
          }}
        />
      </div>
      <button type="button" class="btn" disabled={!isReady} onClick={run}>
        Execute
      </button>
    </section>
  );
}

/** The system descriptor, which is loaded on request and replaced as a whole. */
export function Descriptor({ desk }: DeskProps) {
  const [text, setText] = useState("");
  const [failure, setFailure] = useState("");
  const read = async (): Promise<void> => {
    try {
      setText(JSON.stringify(await fetchValue("svc/builtin/system_descriptor"), null, 2));
      setFailure("");
    } catch (error) {
      setFailure((error as Error).message);
    }
  };
  return (
    <section class="card">
      <h2>Descriptor of the system</h2>
      <div class="field">
        <label for="descriptor">JSON; a changed matrix applies at once</label>
        <textarea
          id="descriptor"
          rows={8}
          value={text}
          spellcheck={false}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </div>
      {failure !== "" && <p class="bad">{clipForDisplay(failure)}</p>}
      <div class="row">
        <button type="button" class="btn" onClick={() => void read()}>
          Read
        </button>
        <button
          type="button"
          class="btn"
          disabled={!desk.isArmed || text.trim() === ""}
          onClick={() => void desk.run({ operation: "SystemDescriptor", args: {}, body: text })}
        >
          Replace
        </button>
      </div>
    </section>
  );
}
