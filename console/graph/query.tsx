// A query editor: form, text with completion, and result. The query is kept in the address; it runs
// on request only.

import { useEffect, useState } from "preact/hooks";
import { callServer, errorMessage, type Reply } from "../data/client.js";
import { clipForDisplay } from "../data/text.js";
import { Editor } from "../parts/editor.js";
import { Note } from "../parts/note.js";
import { ResponseView } from "../parts/response-view.js";
import { currentRoute, saveStatePart } from "../router.js";
import { formatQuery, MODES, type Mode, NO_PARTS, QueryForm } from "./query-form.js";
import { collectNames } from "./query-names.js";
import { completionsAt, findFault, locateFault, type Names } from "./query-text.js";

const NO_NAMES: Names = { keys: [], constants: [], values: [], expression: [] };
/** Longer ones are not in the address. */
const MAX_IN_ADDRESS = 2000;
const HITS = "200";

export function Query({ graph, id }: { readonly graph: string; readonly id: string }) {
  const { params } = currentRoute.value;
  const mode = MODES.find(([one]) => one === params.get("mode"))?.[0] ?? "vertices";
  const [text, setText] = useState(params.get("query") ?? "");
  const [parts, setParts] = useState(NO_PARTS);
  const names = useNames(graph);
  const [reply, setReply] = useState<Reply | null>(null);
  const [failure, setFailure] = useState("");
  const write = (next: string): void => {
    setText(next);
    setReply(null);
    saveStatePart("query", next.length <= MAX_IN_ADDRESS ? next : "");
  };
  const isExpression = mode === "evaluate";
  const wrong = isExpression ? null : findFault(text);
  const fault =
    reply === null || reply.ok ? null : locateFault(errorMessage(reply), text, isExpression);
  const run = async (): Promise<void> => {
    if (wrong !== null) return;
    try {
      setReply(await callServer(pathOf(mode, graph, id), { method: "POST", body: text }));
      setFailure("");
    } catch (error) {
      setFailure((error as Error).message);
    }
  };
  return (
    <>
      <form
        class="card"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <h2>Query</h2>
        <Modes
          mode={mode}
          onMode={(next) => {
            saveStatePart("mode", next);
            write(formatQuery(next, parts));
          }}
        />
        <QueryForm
          mode={mode}
          parts={parts}
          relationships={names.values}
          onParts={(next) => {
            setParts(next);
            write(formatQuery(mode, next));
          }}
        />
        <Editor
          id="query-text"
          label={isExpression ? "Expression" : "Query (JSON with named constants)"}
          text={text}
          mistake={wrong ?? fault}
          complete={(of, cursor) => completionsAt(of, cursor, names)}
          onText={write}
          onRun={() => void run()}
        />
        <button class="btn main" type="submit" disabled={wrong !== null}>
          Ask
        </button>
      </form>
      {failure !== "" && <Note>No answer: {clipForDisplay(failure)}</Note>}
      {reply !== null && <ResponseView reply={reply} at={Date.now()} />}
    </>
  );
}

/** Without names there is no completion; everything else works. */
function useNames(graph: string): Names {
  const [names, setNames] = useState(NO_NAMES);
  useEffect(() => {
    let isOver = false;
    collectNames(graph).then(
      (found) => !isOver && setNames(found),
      () => {},
    );
    return () => {
      isOver = true;
    };
  }, [graph]);
  return names;
}

function pathOf(mode: Mode, graph: string, id: string): string {
  const subject = mode === "evaluate" ? { tail: id } : { id };
  const needed = mode === "neighbor" || (mode === "evaluate" && id !== "") ? subject : {};
  const page = mode === "evaluate" ? {} : { hits: HITS };
  const args = { graph, ...needed, ...page } as Record<string, string>;
  return `svc/builtin/${mode}?${new URLSearchParams(args)}`;
}

interface ModesProps {
  readonly mode: Mode;
  readonly onMode: (mode: Mode) => void;
}

function Modes({ mode, onMode }: ModesProps) {
  return (
    <fieldset class="row">
      <legend class="soft">Query type</legend>
      {MODES.map(([one, title]) => (
        <label key={one}>
          <input
            type="radio"
            name="mode"
            id={`mode-${one}`}
            checked={one === mode}
            onChange={() => onMode(one)}
          />{" "}
          {title}
        </label>
      ))}
    </fieldset>
  );
}
