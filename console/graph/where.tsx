// The line above the explorer and the workbench: graph, view, vertex, and the type of a query.

import { useState } from "preact/hooks";
import { clipForDisplay } from "../data/text.js";
import { Segments } from "../parts/segments.js";
import { navigate, saveStatePart } from "../router.js";
import { queryMode } from "./query.js";
import { MODES } from "./query-form.js";

/** Queries about one vertex. */
const ANCHORED: ReadonlySet<string> = new Set(["neighbor", "nearest", "evaluate"]);

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
  const all = names.includes(graph) ? names : [graph, ...names];
  const showView = (view: "vertex" | "query"): void => {
    const at = text === "" ? { graph } : { graph, id: text };
    const mode = text === "" ? "vertices" : "neighbor";
    navigate(`search?${new URLSearchParams(view === "query" ? { ...at, mode } : at)}`);
  };
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        if (isQuery) saveStatePart("id", text);
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
      <Segments
        label="View"
        value={isQuery ? "query" : "vertex"}
        among={[
          ["vertex", "Vertex"],
          ["query", "Query"],
        ]}
        onChoose={showView}
      />
      {isQuery && (
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
          <button class={isQuery ? "btn" : "btn main"} type="submit">
            {isQuery ? "Set" : "Show"}
          </button>
        </>
      )}
    </form>
  );
}
