// Graph explorer: from vertices to one, and from neighbor to neighbor. Graph and vertex are in the
// address, so the browser's history works.

import { useEffect, useMemo, useState } from "preact/hooks";
import { numberAt, textAt } from "../data/node-stat.js";
import { clipForDisplay, count } from "../data/text.js";
import { Algorithms } from "../graph/algorithms.js";
import { Constraints } from "../graph/constraints.js";
import { Drawing } from "../graph/drawing.js";
import { chooseLook, type GraphInfo, loadGraphInfo } from "../graph/graph-info.js";
import { Inspector } from "../graph/inspector.js";
import { ShapeMark } from "../graph/legend.js";
import {
  graphNames,
  type Neighbor,
  parseNeighbors,
  parseVertex,
  someVertices,
} from "../graph/neighbors.js";
import { PathForm } from "../graph/path-form.js";
import { Query, queryMode } from "../graph/query.js";
import { MODES } from "../graph/query-form.js";
import { buildSubgraph } from "../graph/subgraph.js";
import type { ArcCount } from "../graph/vertex-summary.js";
import { type Column, DataTable } from "../parts/data-table.js";
import { NoGraph } from "../parts/no-graph.js";
import { Note } from "../parts/note.js";
import { PageLink } from "../parts/page-link.js";
import { Segments } from "../parts/segments.js";
import { TextBlock } from "../parts/text-block.js";
import { currentRoute, navigate, saveStatePart } from "../router.js";

const MAX_TEXT = 20_000;

/** Queries about one vertex. */
const ANCHORED: ReadonlySet<string> = new Set(["neighbor", "nearest", "evaluate"]);
/** In the address: vertices whose neighbors are drawn, too. */
const MAX_MORE = 20;

interface Found {
  readonly rows: readonly Neighbor[];
  /** Neighbors of all drawn vertices, by vertex, the anchor last. */
  readonly around: ReadonlyMap<string, readonly Neighbor[]>;
  /** Null if the rows are vertices to begin with. */
  readonly vertex: unknown;
}

function goTo(graph: string, id: string): void {
  navigate(`search?${new URLSearchParams(id === "" ? { graph } : { graph, id })}`);
}

/** Adds neighbors by an arc of the chosen vertex to the drawing. */
function expandArc({ relationship, direction }: ArcCount): void {
  const params = new URLSearchParams(currentRoute.value.params);
  params.append("arc", `${direction}:${relationship}`);
  navigate(`search?${params}`);
}

/** Returns null before it is loaded; without it, there is nothing to draw with. */
function useGraphInfo(graph: string): GraphInfo | null {
  const [info, setInfo] = useState<GraphInfo | null>(null);
  useEffect(() => {
    setInfo(null);
    if (graph === "") return;
    const none = { types: [], relationships: [] };
    loadGraphInfo(graph).then(setInfo, () => setInfo(none));
  }, [graph]);
  return info;
}

/** Adds the neighbors of another vertex to the drawing. */
function expand(id: string): void {
  const params = new URLSearchParams(currentRoute.value.params);
  const more = [...new Set([...params.getAll("more"), id])].slice(-MAX_MORE);
  params.delete("more");
  for (const one of more) params.append("more", one);
  navigate(`search?${params}`);
}

export function GraphPage() {
  const [names, setNames] = useState<readonly string[] | null>(null);
  const [failure, setFailure] = useState("");
  const [found, setFound] = useState<Found | null>(null);
  const { params } = currentRoute.value;
  const graph = params.get("graph") ?? names?.[0] ?? "";
  const id = params.get("id") ?? "";
  useEffect(() => {
    graphNames().then(setNames, (error: Error) => setFailure(error.message));
  }, []);
  const more = params.getAll("more").slice(-MAX_MORE);
  const arcs = params.getAll("arc").slice(-MAX_MORE);
  const isHere = names?.includes(graph) === true;
  const info = useGraphInfo(isHere ? graph : "");
  useEffect(() => setFound(null), [graph, id]);
  useEffect(() => {
    if (!isHere) return;
    let isOver = false;
    setFailure("");
    look(graph, id, more, arcs).then(
      (value) => !isOver && setFound(value),
      (error: Error) => !isOver && setFailure(error.message),
    );
    return () => {
      isOver = true;
    };
  }, [isHere, graph, id, [...more, ...arcs].join("\n")]);
  if (names?.length === 0) return <NoGraph graph={graph} page="search" />;
  const isQuery = params.has("mode") || params.has("query");
  return (
    <>
      <Where {...{ graph, id, isQuery }} key={`${graph}/${id}`} names={names ?? []} />
      {failure !== "" && <Note isAlert>{clipForDisplay(failure)}</Note>}
      {names !== null && !isHere && <NoGraph graph={graph} page="search" />}
      {isQuery && info !== null && graph !== "" && (
        <Query key={graph} graph={graph} id={id} info={info} />
      )}
      {!isQuery && found !== null && info !== null && (
        <Result graph={graph} id={id} found={found} info={info} />
      )}
      {!isQuery && isHere && <Constraints key={`of ${graph}`} graph={graph} />}
      {!isQuery && id === "" && <Algorithms />}
    </>
  );
}

/** @param arcs direction and relationship whose neighbors are drawn, too */
async function look(
  graph: string,
  id: string,
  more: readonly string[],
  arcs: readonly string[],
): Promise<Found> {
  if (id === "") return { rows: await someVertices(graph), around: new Map(), vertex: null };
  const others = more.filter((one) => one !== id);
  const [some, vertex, chosen, ...around] = await Promise.all([
    parseNeighbors(graph, id),
    parseVertex(graph, id),
    Promise.all(arcs.map((arc) => parseNeighbors(graph, id, splitArc(arc)))),
    ...others.map((one) => parseNeighbors(graph, one)),
  ]);
  const rows = distinct([...some, ...chosen.flat()]);
  const all = others.map((one, index) => [one, around[index]!] as const);
  return { rows, vertex, around: new Map([...all, [id, rows]]) };
}

function splitArc(arc: string): readonly [relationship: string, direction: string] {
  const [direction = "D_ANY", relationship = "*"] = arc.split(/:(.*)/s, 2);
  return [relationship, direction];
}

function distinct(rows: readonly Neighbor[]): readonly Neighbor[] {
  const key = ({ id, direction, relationship }: Neighbor) =>
    JSON.stringify([id, direction, relationship]);
  return [...new Map(rows.map((row) => [key(row), row])).values()];
}

interface WhereProps {
  readonly names: readonly string[];
  readonly graph: string;
  readonly id: string;
  readonly isQuery: boolean;
}

/** Chooses graph, view, vertex, and the type of a query. */
function Where({ names, graph, id, isQuery }: WhereProps) {
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
        else goTo(graph, text);
      }}
    >
      <select
        aria-label="Graph"
        value={graph}
        onChange={(event) => goTo(event.currentTarget.value, "")}
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

/** Keyboard alternative to a double click. */
function Expand() {
  const [text, setText] = useState("");
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        if (text !== "") expand(text);
      }}
    >
      <label>
        Add neighbors of
        <input id="expand" value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      <button type="submit" class="btn">
        Expand
      </button>
    </form>
  );
}

interface ResultProps {
  readonly graph: string;
  readonly id: string;
  readonly found: Found;
  readonly info: GraphInfo;
}

function Result({ graph, id, info, found: { rows, around, vertex } }: ResultProps) {
  const picture = useMemo(() => {
    const found = buildSubgraph(around);
    const type = textAt(vertex, `Vertex( ${id} )`, "attributes", "type");
    return { ...found, types: new Map([...found.types, [id, type]]) };
  }, [around]);
  if (id === "" && rows.length === 0) return <NoGraph graph={graph} page="search" />;
  if (id === "") {
    return (
      <section class="card">
        <header>
          <h2>Sample of vertices</h2>
        </header>
        <DataTable
          label="Sample of vertices"
          columns={[idColumn(graph), typeColumn(info), DEGREE]}
          rows={rows}
          keyOf={({ id: name }) => name}
          empty="No vertices."
        />
      </section>
    );
  }
  return (
    <>
      <div class="work">
        <Drawing
          {...{ picture, info }}
          anchor={id}
          centers={new Set(around.keys())}
          onExpand={expand}
          shown={<Shown rows={rows} vertex={vertex} id={id} />}
        >
          <Expand />
          <PathForm graph={graph} id={id} />
        </Drawing>
        <Inspector {...{ graph, id, vertex, info }} onExpand={expandArc} />
      </div>
      {[...around].reverse().map(([anchor, neighbors]) => (
        <section class="card" key={anchor}>
          <header>
            <h2>Arcs of {clipForDisplay(anchor, 60)}</h2>
          </header>
          <DataTable
            label={`Arcs of ${clipForDisplay(anchor, 60)}`}
            columns={[idColumn(graph), typeColumn(info), ARC, VALUE, DEGREE]}
            rows={neighbors}
            keyOf={(row) => `${row.direction}/${row.relationship}/${row.id}`}
            empty="It has no arcs."
          />
        </section>
      ))}
      <section class="card">
        <h2>The vertex as JSON</h2>
        <TextBlock
          label="Vertex as JSON"
          text={JSON.stringify(vertex, null, 2).slice(0, MAX_TEXT)}
        />
      </section>
    </>
  );
}

const idColumn = (graph: string): Column<Neighbor> => ({
  ...{ title: "Vertex", isHead: true, sort: ({ id }) => id },
  cell: ({ id }) => (
    <PageLink to={`search?${new URLSearchParams({ graph, id })}`}>
      {clipForDisplay(id, 60)}
    </PageLink>
  ),
});
const typeColumn = ({ types }: GraphInfo): Column<Neighbor> => ({
  ...{ title: "Type", isOptional: true, sort: ({ type }) => type },
  cell: ({ type }) => (
    <span class="key">
      <ShapeMark look={chooseLook(types, type)} />
      {clipForDisplay(type, 40)}
    </span>
  ),
});
const ARC: Column<Neighbor> = {
  ...{ title: "Arc", sort: ({ relationship }) => relationship },
  cell: ({ direction, relationship }) =>
    `${direction === "D_IN" ? "←" : "→"} ${clipForDisplay(relationship, 40)}`,
};
const VALUE: Column<Neighbor> = {
  ...{ title: "Value", isNumber: true, sort: ({ value }) => value },
  cell: ({ value }) => count(value),
};
const DEGREE: Column<Neighbor> = {
  ...{ title: "Degree", isNumber: true, sort: ({ degree }) => degree },
  cell: ({ degree }) => count(degree),
};

/** How many of the arcs are drawn and listed. */
function Shown({ rows, vertex, id }: { rows: readonly Neighbor[]; vertex: unknown; id: string }) {
  const all = numberAt(vertex, `Vertex( ${id} )`, "attributes", "deg");
  return (
    <>
      <strong>{count(rows.length)}</strong> of <strong>{count(all)}</strong> arcs shown
    </>
  );
}
