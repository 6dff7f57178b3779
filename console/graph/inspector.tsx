// Details of a vertex: properties, number of arcs by relationship, and buttons that draw more.

import type { ComponentChildren } from "preact";
import { isRecord } from "../data/client.js";
import { entriesAt, listAt, numberAt, readPath, textAt } from "../data/node-stat.js";
import { clipForDisplay, count } from "../data/text.js";
import { PageLink } from "../parts/page-link.js";
import { type ArcKind, kindKey, MORE } from "./explore.js";
import { chooseLook, type GraphInfo, type NamedCount } from "./graph-info.js";
import { ShapeMark } from "./legend.js";

interface InspectorProps extends ArcsProps {
  readonly graph: string;
  readonly id: string;
  readonly vertex: unknown;
}

const MAX_PROPERTIES = 40;
const NO_TYPE = "__vertex__";
const MAX_COMPONENTS = 128;
const TIMES = [
  ["created", "tmc"],
  ["changed", "tmm"],
  ["expires", "tmx"],
] as const;
/** A later expiry time means never. */
const MAX_AHEAD = 50 * 365 * 86_400;

export function Inspector({ graph, id, vertex, kinds, info, onExpand }: InspectorProps) {
  const inner = readPath(vertex, `Vertex( ${id} )`);
  const type = textAt(inner, "attributes", "type");
  const degree = (name: string) => count(numberAt(inner, "attributes", name));
  return (
    <section class="card insp" aria-label="Vertex">
      <header>
        <ShapeMark look={chooseLook(info.types, type)} />
        <h2>{clipForDisplay(id, 60)}</h2>
        {type !== NO_TYPE && <span class="tag">{clipForDisplay(type, 30)}</span>}
      </header>
      <section>
        <h3>Properties</h3>
        <Properties values={entriesAt(inner, "properties")} />
      </section>
      <section>
        <h3>
          Arcs{" "}
          <span class="faint">
            {degree("ideg")} in, {degree("odeg")} out
          </span>
        </h3>
        <Arcs {...{ kinds, info, onExpand }} />
      </section>
      <VectorBars vector={listAt(inner, "attributes", "vector")}>
        <PageLink to={`search?${new URLSearchParams({ graph, id, mode: "nearest" })}`}>
          Nearest
        </PageLink>
      </VectorBars>
      <section>
        <h3>Attributes</h3>
        <Properties values={formatTimes(inner)} />
        <details>
          <summary class="soft s">All attributes</summary>
          <Properties
            values={entriesAt(inner, "attributes").filter(([, value]) => !isRecord(value))}
          />
        </details>
      </section>
    </section>
  );
}

/** Returns the times of creation, last change and expiry of a vertex. */
function formatTimes(inner: unknown): readonly (readonly [string, string])[] {
  const now = Date.now() / 1000;
  return [
    ...TIMES.map(([title, name]) => [title, numberAt(inner, "attributes", name)] as const)
      .filter(([, at]) => at > 0 && at < now + MAX_AHEAD)
      .map(([title, at]) => [title, new Date(at * 1000).toLocaleString("sv-SE")] as const),
    ["internal id", textAt(inner, "attributes", "internalid")],
  ];
}

interface VectorBarsProps {
  readonly vector: readonly unknown[];
  readonly children: ComponentChildren;
}

/** Chart of the components of a vector: positive ones up, negative ones down. */
function VectorBars({ vector, children }: VectorBarsProps) {
  const values = vector
    .slice(0, MAX_COMPONENTS)
    .filter((component) => typeof component === "number");
  const maximum = Math.max(...values.map(Math.abs));
  if (values.length === 0 || maximum === 0) return null;
  const wide = 100 / values.length;
  return (
    <section>
      <h3>
        Vector <span class="faint">{count(vector.length)} components</span> {children}
      </h3>
      <svg class="vec" viewBox="0 0 100 20" preserveAspectRatio="none" aria-hidden="true">
        {values.map((value, index) => {
          const high = (10 * Math.abs(value)) / maximum;
          const y = value < 0 ? 10 : 10 - high;
          const name = value < 0 ? "neg" : undefined;
          const x = index * wide;
          return <rect key={index} class={name} x={x} y={y} width={wide * 0.8} height={high} />;
        })}
      </svg>
    </section>
  );
}

function Properties({ values }: { readonly values: readonly (readonly [string, unknown])[] }) {
  if (values.length === 0) return <p class="soft s">None.</p>;
  return (
    <dl class="kv">
      {values.slice(0, MAX_PROPERTIES).map(([name, value]) => (
        <div class="pair" key={name}>
          <dt>{clipForDisplay(name, 40)}</dt>
          <dd>{clipForDisplay(value, 160)}</dd>
        </div>
      ))}
    </dl>
  );
}

function typeText({ name, count: many }: NamedCount): string {
  return `${clipForDisplay(name, 20)} ${count(many)}`;
}

interface ArcsProps {
  readonly kinds: readonly ArcKind[];
  readonly info: GraphInfo;
  readonly onExpand: (kind: ArcKind) => void;
}

function Arcs({ kinds, info, onExpand }: ArcsProps) {
  return (
    <ul class="rels" aria-label="Arcs by relationship">
      {kinds.map((kind) => {
        const { relationship, direction, arcs, types, rows } = kind;
        const namedTypes = types.filter((type) => type.name !== NO_TYPE);
        const name = clipForDisplay(relationship, 30);
        const { color } = chooseLook(info.relationships, relationship);
        const isAll = rows.length >= arcs;
        return (
          <li key={kindKey(direction, relationship)}>
            <svg class="key" viewBox="0 0 14 12" aria-hidden="true">
              <path class={`line-${color}`} stroke-width="2.5" d="M0 6h14" />
            </svg>
            <span>
              {direction === "D_IN" ? "← " : "→ "}
              {name}
              {!isAll && <span class="faint"> {count(rows.length)} of</span>}
            </span>
            <span class="n">{count(arcs)}</span>
            {!isAll && (
              <button
                type="button"
                class="btn"
                aria-label={`+ ${MORE}: draw ${MORE} more of ${name}, ${
                  direction === "D_IN" ? "in" : "out"
                }`}
                onClick={() => onExpand(kind)}
              >
                + {MORE}
              </button>
            )}
            {namedTypes.length > 0 && (
              <span class="types soft s">{namedTypes.map(typeText).join(", ")}</span>
            )}
          </li>
        );
      })}
    </ul>
  );
}
