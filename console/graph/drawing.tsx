// A subgraph as an image. For keyboards and screen readers, each mark is a button within the
// canvas: arrow keys move between marks, Enter adds neighbors, Delete hides. The tables below the
// drawing contain the same information.

import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { downloadFile } from "../data/download.js";
import { clipForDisplay, count } from "../data/text.js";
import { Icon } from "../parts/icon.js";
import { theme } from "../theme.js";
import type { ArcKind } from "./explore.js";
import type { GraphInfo } from "./graph-info.js";
import { layoutPositions, type Point } from "./layout.js";
import { Legend } from "./legend.js";
import { bundleText, paintGraph, shortName } from "./paint.js";
import { stepTo } from "./steps.js";
import type { Subgraph } from "./subgraph.js";
import { formatSvg } from "./svg-export.js";

/** Margins of the drawing in points; wide drawings have the legend at the left. */
const MARGIN = 60;
const LEGEND = 200;
const WIDE = 560;
const HIT_DISTANCE = 14;
/** Half the width of the mark of a bundle. */
const HALF_BUNDLE = 50;

export interface DrawingActions {
  /** Adds the neighbors of a vertex. */
  expand(id: string): void;
  /** Adds more arcs of a kind. */
  expandKind(kind: ArcKind): void;
  hide(id: string): void;
  /** Makes a vertex the center. */
  open(id: string): void;
}

interface DrawingProps {
  readonly picture: Subgraph;
  /** The vertex in the center. */
  readonly anchor: string;
  readonly info: GraphInfo;
  /** Vertices whose neighbors are drawn. */
  readonly centers: ReadonlySet<string>;
  readonly actions: DrawingActions;
  /** Describes the drawing, and how to show more. */
  readonly shown: ComponentChildren;
  /** The path that is shown, if any. */
  readonly path: ComponentChildren;
}

export function Drawing(props: DrawingProps) {
  const { picture, anchor, info, actions, shown, path } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const card = useRef<HTMLDivElement>(null);
  const { places: positions, seen } = usePositions(picture, anchor);
  const [chosen, setActive] = useState(anchor);
  const active = positions.has(chosen) ? chosen : anchor;
  const { ids, left } = picture;
  const isOther = active !== anchor && ids.includes(active);
  const save = (): void => {
    const { clientWidth: width, clientHeight: height } = canvas.current!;
    downloadFile(formatSvg(picture, seen.current, info, { width, height }), "graph.svg");
  };
  return (
    <div class="card canvas" ref={card}>
      <Tools card={card} onSave={save} />
      <p class="float shown">{shown}</p>
      <Stage {...props} {...{ canvas, positions, seen, active }} onActive={setActive}>
        {(isOther || path !== null) && (
          <div class="float pathbox stack">
            {path}
            {isOther && <Chosen id={active} actions={actions} />}
          </div>
        )}
      </Stage>
      <Legend info={info} types={ids.map((id) => picture.types.get(id) ?? "")} />
      <footer>
        <p class="faint s">
          Arrow keys move, Enter or a double click adds neighbors, Delete hides.
          {left > 0 && ` ${count(left)} more are listed in the tables only.`}
        </p>
      </footer>
    </div>
  );
}

interface StageProps extends Pick<DrawingProps, "picture" | "anchor" | "info" | "centers"> {
  readonly actions: DrawingActions;
  readonly canvas: { readonly current: HTMLCanvasElement | null };
  readonly positions: ReadonlyMap<string, Point>;
  /** Positions of the last painting. */
  readonly seen: { current: ReadonlyMap<string, Point> };
  readonly active: string;
  readonly onActive: (key: string) => void;
  readonly children: ComponentChildren;
}

/** The canvas, and its marks as buttons. */
function Stage(props: StageProps) {
  const { picture, anchor, actions, canvas, seen, active, onActive, children } = props;
  const { ids, arcs, bundles } = picture;
  usePainting(props);
  const focus = (key: string): void => {
    onActive(key);
    const at = [...ids, ...bundles.map((bundle) => bundle.key)].indexOf(key);
    canvas.current!.querySelectorAll("button")[at]?.focus({ preventScroll: true });
  };
  const press = (key: string): void => {
    const bundle = bundles.find((candidate) => candidate.key === key);
    if (bundle === undefined) actions.expand(key);
    else actions.expandKind(bundle.kind);
  };
  const onKey = (event: KeyboardEvent): void => {
    const next = event.key === "Home" ? anchor : stepTo(seen.current, active, event.key);
    if (next !== null) focus(next);
    else if (event.key === "+") press(active);
    else if (event.key !== "Delete" || active === anchor || !ids.includes(active)) return;
    else {
      focus(anchor);
      actions.hide(active);
    }
    event.preventDefault();
  };
  const vertices = new Set(ids);
  const hit = ({ offsetX, offsetY }: MouseEvent): string | null =>
    markAt(seen.current, vertices, offsetX, offsetY);
  const mark = (key: string, text: string) => (
    <button
      key={key}
      type="button"
      tabIndex={key === active ? 0 : -1}
      onFocus={() => onActive(key)}
      onClick={() => press(key)}
    >
      {text}
    </button>
  );
  const label =
    `${clipForDisplay(anchor)} among ${count(ids.length)} vertices and ${count(arcs.length)} ` +
    "arcs, which the table lists";
  return (
    <fieldset class="stage" aria-label={label} onKeyDown={onKey}>
      <canvas
        class="drawing"
        ref={canvas}
        onMouseMove={(event) => {
          const key = hit(event);
          event.currentTarget.title = key !== null && vertices.has(key) ? shortName(key) : "";
        }}
        onClick={(event) => {
          const key = event.target === canvas.current ? hit(event) : null;
          if (key === null) return;
          focus(key);
          if (!vertices.has(key)) press(key);
        }}
        onDblClick={(event) => {
          const key = hit(event);
          if (key !== null && vertices.has(key)) actions.expand(key);
        }}
      >
        {ids.map((id) => mark(id, clipForDisplay(id, 60)))}
        {bundles.map((bundle) => mark(bundle.key, bundleText(bundle)))}
      </canvas>
      {children}
    </fieldset>
  );
}

/** Paints the canvas when its content, size or theme changes. */
function usePainting(props: StageProps): void {
  const { picture, positions, seen, anchor, active, info, centers, canvas } = props;
  const shade = theme.value;
  useEffect(() => {
    const element = canvas.current!;
    const redraw = (): void => {
      seen.current = fitted(positions, element.clientWidth, element.clientHeight);
      paintGraph(element, { picture, positions: seen.current, anchor, active, info, centers });
    };
    const watch = new ResizeObserver(redraw);
    watch.observe(element);
    // The width of names depends on the font.
    if (document.fonts.status !== "loaded") void document.fonts.ready.then(redraw);
    return () => watch.disconnect();
  }, [positions, anchor, active, shade, info]);
}

/** The vertex that the keyboard or the pointer is at. */
function Chosen({ id, actions }: { readonly id: string; readonly actions: DrawingActions }) {
  const button = (title: string, act: (id: string) => void) => (
    <button type="button" class="link" onClick={() => act(id)}>
      {title}
    </button>
  );
  return (
    <p class="row">
      <strong>{shortName(id)}</strong>
      {button("Show", actions.open)}
      {button("Add neighbors", actions.expand)}
      {button("Hide", actions.hide)}
    </p>
  );
}

interface ToolsProps {
  readonly card: { readonly current: HTMLElement | null };
  readonly onSave: () => void;
}

function Tools({ card, onSave }: ToolsProps) {
  const switchScreen = (): void => {
    if (document.fullscreenElement === null) void card.current?.requestFullscreen();
    else void document.exitFullscreen();
  };
  return (
    <div class="float tools">
      <button type="button" class="btn icon" aria-label="Undo" onClick={() => history.back()}>
        <Icon name="undo" />
      </button>
      <button type="button" class="btn icon" aria-label="Full screen" onClick={switchScreen}>
        <Icon name="fit" />
      </button>
      <button type="button" class="btn icon" aria-label="Save as SVG" onClick={onSave}>
        <Icon name="get" />
      </button>
    </div>
  );
}

/** Positions of all marks: of the layout, and of the last painting. */
function usePositions(picture: Subgraph, anchor: string) {
  const before = useRef<ReadonlyMap<string, Point>>(new Map());
  const seen = useRef<ReadonlyMap<string, Point>>(new Map());
  const positions = useMemo(() => {
    const keys = picture.bundles.map(({ key }) => key);
    const arcs = picture.arcs.map(({ from, to }) => [from, to] as const);
    // Beside the arcs of the most frequent kind, which are first.
    const all = [...keys.map((key) => [anchor, key] as const), ...arcs];
    before.current = layoutPositions([...picture.ids, ...keys], all, before.current);
    return before.current;
  }, [picture]);
  return { places: positions, seen };
}

/** Converts positions of the layout to points of the screen. */
function fitted(
  positions: ReadonlyMap<string, Point>,
  width: number,
  height: number,
): ReadonlyMap<string, Point> {
  const all = [...positions.values()];
  const scale = (of: (point: Point) => number, from: number, to: number) => {
    const values = all.map(of);
    const [minimum, maximum] = [Math.min(...values), Math.max(...values)];
    const span = maximum - minimum;
    return (point: Point): number =>
      span < 1e-6 ? (from + to) / 2 : from + ((of(point) - minimum) / span) * (to - from);
  };
  const x = scale((point) => point.x, width > WIDE ? LEGEND : MARGIN, width - MARGIN);
  const y = scale((point) => point.y, MARGIN, height - MARGIN / 2);
  return new Map([...positions].map(([id, point]) => [id, { x: x(point), y: y(point) }]));
}

/** Returns the mark at a point of the screen. */
function markAt(
  positions: ReadonlyMap<string, Point>,
  vertices: ReadonlySet<string>,
  x: number,
  y: number,
): string | null {
  let found: string | null = null;
  let nearest = HIT_DISTANCE;
  for (const [key, point] of positions) {
    const aside = Math.abs(point.x - x);
    const dx = vertices.has(key) ? aside : Math.max(0, aside - HALF_BUNDLE);
    const distance = Math.hypot(dx, point.y - y);
    if (distance >= nearest) continue;
    nearest = distance;
    found = key;
  }
  return found;
}
