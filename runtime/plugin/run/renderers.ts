// How the results of each plugin become responses: its role decides, and the checks that its
// declared result type needs.

import { nanFault } from "../contract/json-text.js";
import type { PluginEntry, ResultFault } from "../contract/plugin-entry.js";
import type { Accept, RequestSource } from "../contract/request-source.js";
import { type Done, sendError } from "./plugin-errors.js";
import { renderExact, renderPre, renderResult } from "./render.js";

export type Render = (value: unknown, accept: Accept, done: Done, source: RequestSource) => void;

export interface Renderer {
  readonly render: Render;
  /** Check of each item of a stream. */
  readonly itemFault: ResultFault;
}

const noFault: ResultFault = () => null;
const PLAIN: Renderer = { render: renderResult, itemFault: noFault };
const EXACT: Renderer = { render: renderExact, itemFault: nanFault };
const PRE: Renderer = { render: renderPre, itemFault: noFault };
const checkedRenderers = new WeakMap<PluginEntry, Renderer>();

export function rendererFor(entry: PluginEntry): Renderer {
  const base = entry.role === "pre" ? PRE : entry.isExact ? EXACT : PLAIN;
  const { resultFault } = entry;
  if (resultFault === undefined) return base;
  let renderer = checkedRenderers.get(entry);
  if (renderer === undefined) {
    renderer = checkedRenderer(base, resultFault);
    checkedRenderers.set(entry, renderer);
  }
  return renderer;
}

function checkedRenderer({ render, itemFault }: Renderer, resultFault: ResultFault): Renderer {
  return {
    render(value, accept, done, source) {
      const fault = resultFault(value);
      if (fault === null) return render(value, accept, done, source);
      sendError(done, accept, 500, "svc", "ValueError", fault);
    },
    itemFault: (item) => itemFault(item) ?? resultFault(item),
  };
}
