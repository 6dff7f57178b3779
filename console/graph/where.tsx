// The line above the explorer and the workbench: graph, view, vertex and query type.

import { useState } from "preact/hooks";
import { clipForDisplay } from "../data/text.js";
import { Segments } from "../parts/segments.js";
import { currentRoute, navigate, saveStatePart } from "../router.js";
import { queryMode } from "./query.js";
import { MODES } from "./query-form.js";

/** Queries about one vertex. */
const ANCHORED: ReadonlySet<string> = new Set(["neighbor", "nearest", "evaluate"]);

const VIEWS = [
  ["vertex", "Vertex"],
  ["query", "Query"],
  ["path", "Path"],
  ["vector", "Vector"],
] as const;
type View = (typeof VIEWS)[number][0];

/** Parameters of the address that select a view. */
const ADDED: Readonly<Record<View, Readonly<Record<string, string>>>> = {
  vertex: {},
  query: { mode: "neighbor" },
  path: { to: "" },
  vector: { mode: "nearest" },
};

function shownView(isQuery: boolean): View {
  if (isQuery) return queryMode() === "nearest" ? "vector" : "query";
  return currentRoute.value.params.has("to") ? "path" : "vertex";
}

export function goToVertex(graph: string, id: string): void {
  navigate(`search?${new URLSearchParams(id === "" ? { graph } : { graph, id })}`);
}

interface WhereProps {
  readonly names: readonly string[];
  readonly graph: string;
  readonly id: string;
  readonly isQuery: boolean;
}

export function Where({ names, graph, id, isQuery }: WhereProps) {
  const [text, setText] = useState(id);
  const [to, setTo] = useState(currentRoute.value.params.get("to") ?? "");
  const view = shownView(isQuery);
  const all = names.includes(graph) ? names : [graph, ...names];
  const showView = (next: View): void => {
    const at = text === "" ? { graph } : { graph, id: text };
    const added = next === "query" && text === "" ? { mode: "vertices" } : ADDED[next];
    navigate(`search?${new URLSearchParams({ ...at, ...added })}`);
  };
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        if (isQuery) saveStatePart("id", text);
        else if (view === "path")
          navigate(`search?${new URLSearchParams({ graph, id: text, to })}`);
        else goToVertex(graph, text);
      }}
    >
      <select
        aria-label="Graph"
        value={graph}
        onChange={(event) => goToVertex(event.currentTarget.value, "")}
      >
        {all.map((name) => (
          <option key={name} value={name}>
            {clipForDisplay(name, 60)}
          </option>
        ))}
      </select>
      <Segments label="View" value={view} among={VIEWS} onChoose={showView} />
      {view === "query" && (
        <Segments
          label="Query type"
          value={queryMode()}
          among={MODES}
          onChoose={(mode) => saveStatePart("mode", mode)}
        />
      )}
      {(!isQuery || ANCHORED.has(queryMode())) && (
        <>
          <input
            id="vertex"
            aria-label="Vertex"
            placeholder="id of a vertex"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
          {view === "path" && (
            <input
              id="path-to"
              aria-label="Other end of the path"
              placeholder="id of the other end"
              value={to}
              onInput={(event) => setTo(event.currentTarget.value)}
            />
          )}
          <button class={isQuery ? "btn" : "btn main"} type="submit">
            {isQuery ? "Set" : view === "path" ? "Find path" : "Show"}
          </button>
        </>
      )}
    </form>
  );
}
