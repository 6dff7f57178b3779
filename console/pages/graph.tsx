// Graph explorer: from a list of vertices to a vertex, and from neighbor to neighbor. The address
// contains the complete state, so the browser's history works.

import { useEffect, useMemo, useState } from "preact/hooks";
import { numberAt } from "../data/node-stat.js";
import { clipForDisplay } from "../data/text.js";
import { Algorithms } from "../graph/algorithms.js";
import { exploreBetween, findPath } from "../graph/between.js";
import { ConditionChips, readConditions } from "../graph/conditions.js";
import { Constraints } from "../graph/constraints.js";
import type { DrawingActions } from "../graph/drawing.js";
import {
  type ArcKind,
  type Conditions,
  exploreArcs,
  kindKey,
  MAX_TYPED_ARCS,
} from "../graph/explore.js";
import { type GraphInfo, loadGraphInfo } from "../graph/graph-info.js";
import { DEGREE, idColumn, typeColumn } from "../graph/neighbor-columns.js";
import {
  graphNames,
  type Neighbor,
  parseNeighbors,
  parseVertex,
  someVertices,
} from "../graph/neighbors.js";
import type { FoundPath } from "../graph/path-line.js";
import { Query } from "../graph/query.js";
import { type Explored, VertexView } from "../graph/vertex-view.js";
import { goToVertex, Where } from "../graph/where.js";
import { DataTable } from "../parts/data-table.js";
import { NoGraph } from "../parts/no-graph.js";
import { Note } from "../parts/note.js";
import { currentRoute, navigate } from "../router.js";

/** Parameters of vertices whose neighbors are drawn, kinds with more arcs, and hidden vertices. */
const MAX_MORE = 20;
const MAX_HIDDEN = 60;

/** Returns types and relationships of a graph; null until they are loaded. */
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

/** Adds a value to a list in the address, as a history entry; removes the oldest if it is full. */
function addToAddress(name: string, value: string, maxValues: number): void {
  const params = new URLSearchParams(currentRoute.value.params);
  const values = [...params.getAll(name), value].slice(-maxValues);
  params.delete(name);
  for (const item of values) params.append(name, item);
  navigate(`search?${params}`);
}

const actionsIn = (graph: string): DrawingActions => ({
  expand: (id) => {
    if (!currentRoute.value.params.getAll("more").includes(id)) addToAddress("more", id, MAX_MORE);
  },
  expandKind: ({ direction, relationship }) =>
    addToAddress("arc", kindKey(direction, relationship), MAX_MORE),
  hide: (id) => addToAddress("hide", id, MAX_HIDDEN),
  open: (id) => goToVertex(graph, id),
});

export function GraphPage() {
  const [names, setNames] = useState<readonly string[] | null>(null);
  const [failure, setFailure] = useState("");
  const { params } = currentRoute.value;
  const graph = params.get("graph") ?? names?.[0] ?? "";
  const id = params.get("id") ?? "";
  useEffect(() => {
    graphNames().then(setNames, (error: Error) => setFailure(error.message));
  }, []);
  const isHere = names?.includes(graph) === true;
  const info = useGraphInfo(isHere ? graph : "");
  if (names?.length === 0) return <NoGraph graph={graph} page="search" />;
  const isQuery = params.has("mode") || params.has("query");
  const isKnown = isHere && info !== null;
  return (
    <>
      <Where
        {...{ graph, id, isQuery }}
        key={`${graph}/${id}/${params.get("to") ?? ""}`}
        names={names ?? []}
      />
      {failure !== "" && <Note isAlert>{clipForDisplay(failure)}</Note>}
      {names !== null && !isHere && <NoGraph graph={graph} page="search" />}
      {isQuery && info !== null && graph !== "" && (
        <Query key={graph} graph={graph} id={id} info={info} />
      )}
      {!isQuery && isKnown && id !== "" && (
        <Vertex key={`${graph}\n${id}`} {...{ graph, id, info }} />
      )}
      {!isQuery && isKnown && id === "" && <Sample key={graph} {...{ graph, info }} />}
      {!isQuery && isHere && <Constraints key={`of ${graph}`} graph={graph} />}
      {!isQuery && id === "" && <Algorithms />}
    </>
  );
}

interface SampleProps {
  readonly graph: string;
  readonly info: GraphInfo;
}

/** A few vertices to start from. */
function Sample({ graph, info }: SampleProps) {
  const [rows, setRows] = useState<readonly Neighbor[] | null>(null);
  const [failure, setFailure] = useState("");
  useEffect(() => {
    someVertices(graph).then(setRows, (error: Error) => setFailure(error.message));
  }, []);
  if (failure !== "") return <Note isAlert>{clipForDisplay(failure)}</Note>;
  if (rows === null) return null;
  if (rows.length === 0) return <NoGraph graph={graph} page="search" />;
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

type VertexProps = SampleProps & { readonly id: string };

function Vertex({ graph, id, info }: VertexProps) {
  const [explored, setExplored] = useState<Explored | null>(null);
  const [failure, setFailure] = useState("");
  const { params } = currentRoute.value;
  const more = params.getAll("more").slice(-MAX_MORE);
  const arcs = params.getAll("arc").slice(-MAX_MORE);
  const hidden = new Set(params.getAll("hide").slice(-MAX_HIDDEN));
  const conditions = readConditions(currentRoute.value);
  const to = params.get("to") ?? "";
  const actions = useMemo(() => actionsIn(graph), [graph]);
  useEffect(() => {
    let isOver = false;
    explore({ graph, id }, info, { more, arcs, conditions, to }).then(
      (value) => {
        if (isOver) return;
        setExplored(value);
        setFailure("");
      },
      (error: Error) => !isOver && setFailure(error.message),
    );
    return () => {
      isOver = true;
    };
  }, [info, JSON.stringify([more, arcs, conditions, to])]);
  return (
    <>
      <ConditionChips {...{ graph, id, info, conditions }} />
      {failure !== "" && <Note isAlert>{clipForDisplay(failure)}</Note>}
      {explored !== null && <VertexView {...{ graph, id, info, explored, hidden, actions }} />}
    </>
  );
}

interface Wanted {
  /** Vertices whose neighbors are also drawn. */
  readonly more: readonly string[];
  /** Kinds with more arcs: each occurrence adds some. */
  readonly arcs: readonly string[];
  readonly conditions: Conditions;
  /** Other end of a path; empty: no path. */
  readonly to: string;
}

async function explore(
  target: { readonly graph: string; readonly id: string },
  { relationships }: GraphInfo,
  { more, arcs, conditions, to }: Wanted,
): Promise<Explored> {
  const { graph, id } = target;
  const vertex = await parseVertex(graph, id);
  const hasTypes = numberAt(vertex, `Vertex( ${id} )`, "attributes", "deg") <= MAX_TYPED_ARCS;
  const times = new Map<string, number>();
  for (const arc of arcs) times.set(arc, (times.get(arc) ?? 0) + 1);
  const others = more.filter((other) => other !== id);
  const [path, kinds, ...around] = await Promise.all([
    to === "" ? null : pathTo(target, to),
    exploreArcs(target, relationships, conditions, times, hasTypes),
    ...others.map((other) => parseNeighbors(graph, other)),
  ]);
  const all = others.map((other, index) => [other, around[index]!] as const);
  const rows = kinds.flatMap((kind: ArcKind) => kind.rows);
  const drawn = [...(path?.ids ?? []), id, ...[...rows, ...around.flat()].map((row) => row.id)];
  const between = await exploreBetween(graph, [...new Set(drawn)], conditions.relationship);
  return { vertex, kinds, around: new Map([...all, [id, rows]]), between, path };
}

async function pathTo(
  { graph, id }: { readonly graph: string; readonly id: string },
  to: string,
): Promise<FoundPath> {
  try {
    return { to, ids: await findPath(graph, id, to), failure: "" };
  } catch (error) {
    return { to, ids: [], failure: (error as Error).message };
  }
}
