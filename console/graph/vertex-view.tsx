// A vertex among its neighbors: drawing, inspector, and the content of the drawing as tables.

import { useMemo, useState } from "preact/hooks";
import { textAt } from "../data/node-stat.js";
import { clipForDisplay, count } from "../data/text.js";
import { DataTable } from "../parts/data-table.js";
import { Tabs } from "../parts/tabs.js";
import { TextBlock } from "../parts/text-block.js";
import { Drawing, type DrawingActions } from "./drawing.js";
import { type ArcKind, MORE } from "./explore.js";
import type { GraphInfo } from "./graph-info.js";
import { Inspector } from "./inspector.js";
import { ARC, DEGREE, idColumn, typeColumn, VALUE } from "./neighbor-columns.js";
import type { Neighbor } from "./neighbors.js";
import { type FoundPath, PathLine } from "./path-line.js";
import { type Between, buildSubgraph } from "./subgraph.js";

const MAX_TEXT = 20_000;

export interface Explored {
  readonly vertex: unknown;
  readonly kinds: readonly ArcKind[];
  /** Neighbors of all drawn vertices, by vertex, the anchor last. */
  readonly around: ReadonlyMap<string, readonly Neighbor[]>;
  /** Arcs among the neighbors. */
  readonly between: Between;
  /** Path to draw; null: not requested. */
  readonly path: FoundPath | null;
}

interface VertexViewProps {
  readonly graph: string;
  readonly id: string;
  readonly info: GraphInfo;
  readonly explored: Explored;
  readonly hidden: ReadonlySet<string>;
  readonly actions: DrawingActions;
}

export function VertexView({ graph, id, info, explored, hidden, actions }: VertexViewProps) {
  const { vertex, kinds, around, between, path } = explored;
  const hiddenKey = [...hidden].join("\n");
  const picture = useMemo(() => {
    const found = buildSubgraph(around, kinds, hidden, { between, path: path?.ids ?? [] });
    const type = textAt(vertex, `Vertex( ${id} )`, "attributes", "type");
    return { ...found, types: new Map([...found.types, [id, type]]) };
  }, [explored, hiddenKey]);
  return (
    <>
      <div class="work">
        <Drawing
          {...{ picture, info, actions }}
          anchor={id}
          centers={new Set(around.keys())}
          shown={<Shown kinds={kinds} onMore={actions.expandKind} />}
          path={path === null ? null : <PathLine graph={graph} path={path} />}
        />
        <Inspector {...{ graph, id, vertex, kinds, info }} onExpand={actions.expandKind} />
      </div>
      <Details {...{ graph, vertex, around, info }} />
    </>
  );
}

interface ShownProps {
  readonly kinds: readonly ArcKind[];
  readonly onMore: (kind: ArcKind) => void;
}

/** Shows how many arcs are drawn and listed, with buttons for more of the most frequent ones. */
function Shown({ kinds, onMore }: ShownProps) {
  const sum = (of: (kind: ArcKind) => number) => kinds.reduce((all, kind) => all + of(kind), 0);
  const rest = ({ arcs, rows }: ArcKind) => arcs - rows.length;
  const [mostFrequent] = [...kinds].sort((a, b) => rest(b) - rest(a));
  return (
    <>
      <strong>{count(sum(({ rows }) => rows.length))}</strong> of{" "}
      <strong>{count(sum(({ arcs }) => arcs))}</strong> arcs shown{" "}
      {mostFrequent !== undefined && rest(mostFrequent) > 0 && (
        <button type="button" class="link" onClick={() => onMore(mostFrequent)}>
          Show {MORE} more
        </button>
      )}
    </>
  );
}

type DetailsProps = Pick<Explored, "vertex" | "around"> & {
  readonly graph: string;
  readonly info: GraphInfo;
};

/** The content of the drawing as tables, and the raw vertex. */
function Details({ graph, vertex, around, info }: DetailsProps) {
  const [tab, setTab] = useState<"arcs" | "vertices" | "json">("arcs");
  const all = [...around].reverse();
  const rows = all.flatMap(([, neighbors]) => neighbors);
  const vertices = [...new Map(rows.map((row) => [row.id, row])).values()];
  return (
    <section class="card" aria-label="Details">
      <Tabs
        label="Details"
        chosen={tab}
        onChoose={setTab}
        tabs={[
          { name: "arcs", title: "Arcs shown", count: count(rows.length) },
          { name: "vertices", title: "Neighbors", count: count(vertices.length) },
          { name: "json", title: "JSON" },
        ]}
      >
        {tab === "arcs" &&
          all.map(([anchor, neighbors]) => (
            <DataTable
              key={anchor}
              label={`Arcs of ${clipForDisplay(anchor, 60)}`}
              columns={[idColumn(graph), typeColumn(info), ARC, VALUE, DEGREE]}
              rows={neighbors}
              keyOf={(row) => `${row.direction}/${row.relationship}/${row.id}`}
              empty="It has no arcs."
            />
          ))}
        {tab === "vertices" && (
          <DataTable
            label="Neighbors"
            columns={[idColumn(graph), typeColumn(info), DEGREE]}
            rows={vertices}
            keyOf={(row) => row.id}
            empty="It has no neighbors."
          />
        )}
        {tab === "json" && (
          <TextBlock
            label="Vertex as JSON"
            text={JSON.stringify(vertex, null, 2).slice(0, MAX_TEXT)}
          />
        )}
      </Tabs>
    </section>
  );
}
