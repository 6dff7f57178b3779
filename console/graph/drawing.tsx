// A subgraph as an image: a click selects a vertex, a double click adds its neighbors. The table
// next to it has the same content, and buttons serve keyboards.

import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { downloadFile } from "../data/download.js";
import { clipForDisplay, count } from "../data/text.js";
import { Icon } from "../parts/icon.js";
import { theme } from "../theme.js";
import type { GraphInfo } from "./graph-info.js";
import { layoutPositions, type Point } from "./layout.js";
import { Legend } from "./legend.js";
import { paintGraph, shortName } from "./paint.js";
import type { Subgraph } from "./subgraph.js";
import { formatSvg } from "./svg-export.js";

/** Points at the edges of the drawing; the legend lies at the left of wide ones. */
const MARGIN = 60;
const LEGEND = 200;
const WIDE = 560;
const HIT_DISTANCE = 14;

interface DrawingProps {
  readonly picture: Subgraph;
  /** The one in the middle of attention. */
  readonly anchor: string;
  readonly info: GraphInfo;
  /** Vertices whose neighbors are drawn. */
  readonly centers: ReadonlySet<string>;
  readonly onExpand: (id: string) => void;
  /** Says what is shown, and below the drawing, how to show more. */
  readonly shown: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Drawing(props: DrawingProps) {
  const { picture, anchor, info, centers, onExpand, shown, children } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const before = useRef<ReadonlyMap<string, Point>>(new Map());
  const shade = theme.value;
  const { ids, arcs, left } = picture;
  const places = useMemo(() => {
    const arcs = picture.arcs.map(({ from, to }) => [from, to] as const);
    before.current = layoutPositions(picture.ids, arcs, before.current);
    return before.current;
  }, [picture]);
  const seen = useRef<ReadonlyMap<string, Point>>(new Map());
  useEffect(() => {
    const element = canvas.current!;
    const redraw = (): void => {
      seen.current = fitted(places, element.clientWidth, element.clientHeight);
      paintGraph(element, { picture, places: seen.current, anchor, info, centers });
    };
    const watch = new ResizeObserver(redraw);
    watch.observe(element);
    // Without the font, names have another width.
    if (document.fonts.status !== "loaded") void document.fonts.ready.then(redraw);
    return () => watch.disconnect();
  }, [places, anchor, shade, info]);
  const save = (): void => {
    const { clientWidth: width, clientHeight: height } = canvas.current!;
    downloadFile(formatSvg(picture, seen.current, info, { width, height }), "graph.svg");
  };
  return (
    <div class="card canvas">
      <div class="float tools">
        <button type="button" class="btn icon" aria-label="Undo" onClick={() => history.back()}>
          <Icon name="undo" />
        </button>
        <button type="button" class="btn icon" aria-label="Save as SVG" onClick={save}>
          <Icon name="get" />
        </button>
      </div>
      <p class="float shown">{shown}</p>
      <canvas
        class="drawing"
        ref={canvas}
        role="img"
        aria-label={`${clipForDisplay(anchor)} among ${count(ids.length)} vertices and ${count(
          arcs.length,
        )} arcs, which the table lists`}
        onMouseMove={({ offsetX, offsetY, currentTarget }) => {
          const id = hit(seen.current, offsetX, offsetY);
          currentTarget.title = id === null ? "" : shortName(id);
        }}
        onDblClick={(event) => {
          const id = hit(seen.current, event.offsetX, event.offsetY);
          if (id !== null) onExpand(id);
        }}
      />
      <Legend info={info} types={ids.map((id) => picture.types.get(id) ?? "")} />
      <footer>
        {children}
        <p class="faint s">
          A double click adds the neighbors of a vertex.
          {left > 0 && ` ${count(left)} more are listed in the tables only.`}
        </p>
      </footer>
    </div>
  );
}

/** The same places in points of the screen. */
function fitted(
  places: ReadonlyMap<string, Point>,
  width: number,
  height: number,
): ReadonlyMap<string, Point> {
  const all = [...places.values()];
  const scale = (of: (point: Point) => number, from: number, to: number) => {
    const values = all.map(of);
    const [least, most] = [Math.min(...values), Math.max(...values)];
    const span = most - least;
    return (point: Point): number =>
      span < 1e-6 ? (from + to) / 2 : from + ((of(point) - least) / span) * (to - from);
  };
  const x = scale((point) => point.x, width > WIDE ? LEGEND : MARGIN, width - MARGIN);
  const y = scale((point) => point.y, MARGIN, height - MARGIN / 2);
  return new Map([...places].map(([id, point]) => [id, { x: x(point), y: y(point) }]));
}

function hit(places: ReadonlyMap<string, Point>, x: number, y: number): string | null {
  let found: string | null = null;
  let nearest = HIT_DISTANCE;
  for (const [id, point] of places) {
    const distance = Math.hypot(point.x - x, point.y - y);
    if (distance >= nearest) continue;
    nearest = distance;
    found = id;
  }
  return found;
}
