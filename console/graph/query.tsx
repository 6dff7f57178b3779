// The query workbench: text with completion, and a form, at the left; the response at the right;
// names of the graph below. The address contains the query, which runs only on request.

import { useEffect, useState } from "preact/hooks";
import { callServer, errorMessage, type Reply } from "../data/client.js";
import { rememberEntry } from "../data/history.js";
import { readPath } from "../data/node-stat.js";
import { clipForDisplay, count } from "../data/text.js";
import { Badge } from "../parts/badge.js";
import { CopyButton } from "../parts/copy-button.js";
import { HistoryList, useHistory } from "../parts/history-list.js";
import { Icon } from "../parts/icon.js";
import { Note } from "../parts/note.js";
import { ResponseView } from "../parts/response-view.js";
import { Tabs } from "../parts/tabs.js";
import { currentRoute, navigate, saveStatePart } from "../router.js";
import { Editor } from "./editor.js";
import type { GraphInfo } from "./graph-info.js";
import { GraphNames } from "./graph-names.js";
import { Plan } from "./plan.js";
import { formatQuery, MODES, type Mode, NO_PARTS, QueryForm } from "./query-form.js";
import { collectNames } from "./query-names.js";
import {
  completionsAt,
  findFault,
  locateFault,
  type Names,
  type QueryFault,
} from "./query-text.js";
import { useCheck } from "./use-query-check.js";

const NO_NAMES: Names = { keys: [], constants: [], values: [], expression: [] };
/** Maximum length of a query in the address. */
const MAX_IN_ADDRESS = 2000;
const HITS = "200";
const EDITOR = "query-text";

interface Answer {
  readonly reply: Reply;
  readonly at: number;
}

/** Returns the query type in the address. */
export function queryMode(): Mode {
  const mode = currentRoute.value.params.get("mode");
  return MODES.find(([value]) => value === mode)?.[0] ?? "vertices";
}

interface QueryProps {
  readonly graph: string;
  readonly id: string;
  readonly info: GraphInfo;
}

export function Query({ graph, id, info }: QueryProps) {
  const mode = queryMode();
  const [text, setText] = useState(currentRoute.value.params.get("query") ?? "");
  const names = useNames(graph);
  const history = useHistory("query", graph);
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [failure, setFailure] = useState("");
  const write = (next: string): void => {
    setText(next);
    setAnswer(null);
    saveStatePart("query", next.length <= MAX_IN_ADDRESS ? next : "");
  };
  // After a change of the query type, starts with the default text unless the user has entered one.
  useEffect(() => {
    if (isTemplate(text)) write(formatQuery(mode, NO_PARTS));
  }, [mode]);
  const isExpression = mode === "evaluate";
  const wrong = isExpression ? null : findFault(text);
  const isRefused = answer !== null && !answer.reply.ok;
  const refused = isRefused ? locateFault(errorMessage(answer.reply), text, isExpression) : null;
  const checked = useCheck(graph, mode, wrong === null && hasNames(info) ? text : "");
  const fault = refused ?? checked;
  const store = async (isSaved: boolean): Promise<void> => {
    const address = `search${location.search}`;
    const title = `${mode} ${text.replace(/\s+/g, " ")}`;
    await rememberEntry({ kind: "query", subject: graph, title, address, at: Date.now(), isSaved });
    history.reload();
  };
  const run = async (isExplained = false): Promise<void> => {
    if (wrong !== null) return;
    void store(false);
    try {
      const path = requestPath(mode, graph, id) + (isExplained ? "&explain=true" : "");
      const reply = await callServer(path, { method: "POST", body: text });
      setAnswer({ reply, at: Date.now() });
      setFailure("");
    } catch (error) {
      setFailure((error as Error).message);
    }
  };
  return (
    <>
      <div class="call">
        <QueryCard
          {...{ mode, text, names, history }}
          fault={wrong ?? fault}
          isRunnable={wrong === null}
          onText={write}
          onRun={() => void run()}
          onExplain={() => void run(true)}
          onSave={() => void store(true)}
        />
        <Result {...{ graph, answer, failure }} />
      </div>
      <GraphNames graph={graph} info={info} onPick={(name) => write(insert(text, name))} />
    </>
  );
}

/** Returns whether the graph has names to check; a dispatcher has no graph. */
function hasNames({ types, relationships }: GraphInfo): boolean {
  return types.length + relationships.length > 0;
}

interface ResultProps {
  readonly graph: string;
  readonly answer: Answer | null;
  readonly failure: string;
}

function Result({ graph, answer, failure }: ResultProps) {
  return (
    <div class="stack">
      {failure !== "" && <Note isAlert>No response: {clipForDisplay(failure)}</Note>}
      {answer?.reply.ok && <Plan explanation={readPath(answer.reply.value, "explain")} />}
      {answer === null ? (
        <section class="card empty">
          <p class="soft">No response yet. Run the query to see its hits here.</p>
        </section>
      ) : (
        <ResponseView
          key={answer.at}
          reply={answer.reply}
          at={answer.at}
          linkOf={(name, value) =>
            name === "id" ? `search?${new URLSearchParams({ graph, id: value })}` : null
          }
        />
      )}
    </div>
  );
}

function isTemplate(text: string): boolean {
  return text === "" || MODES.some(([mode]) => formatQuery(mode, NO_PARTS) === text);
}

/** Replaces the selection in the editor with a quoted name. */
function insert(text: string, name: string): string {
  const field = document.getElementById(EDITOR);
  const isThere = field instanceof HTMLTextAreaElement;
  const start = isThere ? field.selectionStart : text.length;
  const end = isThere ? field.selectionEnd : text.length;
  return text.slice(0, start) + JSON.stringify(name) + text.slice(end);
}

interface QueryCardProps {
  readonly mode: Mode;
  readonly text: string;
  readonly names: Names;
  readonly fault: QueryFault | null;
  readonly isRunnable: boolean;
  readonly history: ReturnType<typeof useHistory>;
  readonly onText: (text: string) => void;
  readonly onRun: () => void;
  readonly onExplain: () => void;
  readonly onSave: () => void;
}

function QueryCard(props: QueryCardProps) {
  const { mode, text, names, fault, isRunnable, history, onText, onRun, onExplain, onSave } = props;
  const [view, setView] = useState<"text" | "form" | "earlier">("text");
  const [parts, setParts] = useState(NO_PARTS);
  return (
    <form
      class="card"
      aria-label="Query"
      onSubmit={(event) => {
        event.preventDefault();
        onRun();
      }}
    >
      <Tabs
        label="Ways to write the query"
        chosen={view}
        onChoose={setView}
        tabs={[
          { name: "text", title: "Text" },
          { name: "form", title: "Form" },
          { name: "earlier", title: "Earlier", count: count(history.entries.length) },
        ]}
        end={<CopyButton text={text} what="query" />}
      >
        {view === "form" && (
          <QueryForm
            mode={mode}
            parts={parts}
            relationships={names.values}
            onParts={(next) => {
              setParts(next);
              onText(formatQuery(mode, next));
            }}
          />
        )}
        {view === "earlier" ? (
          <HistoryList
            entries={history.entries}
            onChange={history.reload}
            onPick={({ address }) => {
              navigate(address);
              onText(currentRoute.value.params.get("query") ?? "");
              setView("text");
            }}
          />
        ) : (
          <Editor
            id={EDITOR}
            label={mode === "evaluate" ? "Expression" : "Query (JSON with named constants)"}
            text={text}
            mistake={fault}
            complete={(of, cursor) => completionsAt(of, cursor, names)}
            onText={onText}
            onRun={onRun}
          />
        )}
        <Actions
          isRunnable={isRunnable}
          isValid={fault === null && text !== "" && mode !== "evaluate"}
          isExplainable={mode !== "evaluate"}
          onExplain={onExplain}
          onSave={onSave}
        />
      </Tabs>
    </form>
  );
}

interface ActionsProps {
  readonly isRunnable: boolean;
  readonly isValid: boolean;
  readonly isExplainable: boolean;
  readonly onExplain: () => void;
  readonly onSave: () => void;
}

function Actions(props: ActionsProps) {
  const { isRunnable, isValid, isExplainable, onExplain, onSave } = props;
  return (
    <div class="row">
      <button class="btn main" type="submit" disabled={!isRunnable}>
        <Icon name="play" />
        Run
        <kbd class="wide">Ctrl ↵</kbd>
      </button>
      {isExplainable && (
        <button type="button" class="btn" disabled={!isRunnable} onClick={onExplain}>
          Explain
        </button>
      )}
      <button
        type="button"
        class="btn icon bare"
        aria-label="Save this query"
        title="Save this query"
        onClick={onSave}
      >
        <Icon name="save" />
      </button>
      {isValid && <Badge state={{ tone: "ok", word: "valid" }} />}
      <span class="end faint s wide">Ctrl Space completes</span>
    </div>
  );
}

/** Returns the names of the graph; without them, there is no completion. */
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

function requestPath(mode: Mode, graph: string, id: string): string {
  const subject = mode === "evaluate" ? { tail: id } : { id };
  const needed =
    mode === "neighbor" || (mode === "nearest" && id !== "") || (mode === "evaluate" && id !== "")
      ? subject
      : {};
  const page = mode === "evaluate" ? {} : { hits: HITS };
  const args = { graph, ...needed, ...page } as Record<string, string>;
  return `svc/builtin/${mode}?${new URLSearchParams(args)}`;
}
