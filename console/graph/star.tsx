// A vertex and its neighbours, drawn as a star. It is an image: the table beside it has all of it,
// for those who cannot see it.

import { useEffect, useRef } from "preact/hooks";
import { shown } from "../data/text.js";
import { theme } from "../theme.js";
import type { Neighbor } from "./neighbors.js";

const MAX_DRAWN = 40;
const MARGIN = 90;
const MAX_NAME = 18;

interface StarProps {
  readonly anchor: string;
  readonly neighbors: readonly Neighbor[];
}

export function Star({ anchor, neighbors }: StarProps) {
  const place = useRef<HTMLCanvasElement>(null);
  const shade = theme.value;
  useEffect(() => {
    const canvas = place.current!;
    const redraw = () => draw(canvas, anchor, neighbors.slice(0, MAX_DRAWN));
    const watch = new ResizeObserver(redraw);
    watch.observe(canvas);
    return () => watch.disconnect();
  }, [anchor, neighbors, shade]);
  const rest = neighbors.length - MAX_DRAWN;
  return (
    <>
      <canvas
        class="drawing"
        ref={place}
        role="img"
        aria-label={`${shown(anchor)} and ${neighbors.length} arcs, which the table lists`}
      />
      {rest > 0 && <p class="quiet">{rest} more stand in the table.</p>}
    </>
  );
}

function draw(canvas: HTMLCanvasElement, anchor: string, neighbors: readonly Neighbor[]): void {
  const { clientWidth: width, clientHeight: height } = canvas;
  const scale = devicePixelRatio;
  canvas.width = width * scale;
  canvas.height = height * scale;
  const paint = canvas.getContext("2d")!;
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  paint.scale(scale, scale);
  paint.font = "12px system-ui, sans-serif";
  paint.textAlign = "center";
  const middle = { x: width / 2, y: height / 2 };
  const places = neighbors.map((_, index) => {
    const angle = (2 * Math.PI * index) / neighbors.length - Math.PI / 2;
    return {
      x: middle.x + Math.cos(angle) * Math.max(40, middle.x - MARGIN),
      y: middle.y + Math.sin(angle) * Math.max(40, middle.y - 30),
    };
  });
  paint.strokeStyle = colour("--line");
  for (const { x, y } of places) {
    paint.beginPath();
    paint.moveTo(middle.x, middle.y);
    paint.lineTo(x, y);
    paint.stroke();
  }
  const dot = (x: number, y: number, name: string, fill: string): void => {
    paint.fillStyle = fill;
    paint.beginPath();
    paint.arc(x, y, 5, 0, 2 * Math.PI);
    paint.fill();
    paint.fillStyle = colour("--text");
    paint.fillText(name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name, x, y - 9);
  };
  neighbors.forEach(({ id }, index) => {
    dot(places[index]!.x, places[index]!.y, shown(id), colour("--plot"));
  });
  dot(middle.x, middle.y, shown(anchor), colour("--plot2"));
}
