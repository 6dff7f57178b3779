// Selects the renderer of a plugin's results by its role and by the checks of its declared result
// type. Results are checked first, then converted.

import { nanFault } from "../contract/json-text.js";
import type { PluginEntry, ResultFault } from "../contract/plugin-entry.js";
import type { Accept, RequestSource } from "../contract/request-source.js";
import { PluginRequest } from "../request/plugin-request.js";
import { isHttpResponse } from "../response/http-response.js";
import { Page } from "../response/page.js";
import { PluginResponse } from "../response/plugin-response.js";
import { type Done, sendError, sendThrown } from "./plugin-errors.js";
import { renderExact, renderPre, renderResult } from "./render.js";

export type Render = (value: unknown, accept: Accept, done: Done, source: RequestSource) => void;

type EncodeResult = NonNullable<PluginEntry["encodeResult"]>;

export interface Renderer {
  readonly render: Render;
  /** Check of each item of a stream. */
  readonly itemFault: ResultFault;
  /** Converts each item of a stream. */
  readonly encodeItem?: EncodeResult;
}

const noFault: ResultFault = () => null;
const PLAIN: Renderer = { render: renderResult, itemFault: noFault };
const EXACT: Renderer = { render: renderExact, itemFault: nanFault };
const PRE: Renderer = { render: renderPre, itemFault: noFault };
const renderers = new WeakMap<PluginEntry, Renderer>();

export function rendererFor(entry: PluginEntry): Renderer {
  const base = entry.role === "pre" ? PRE : entry.isExact ? EXACT : PLAIN;
  if (entry.resultFault === undefined && entry.encodeResult === undefined) return base;
  let renderer = renderers.get(entry);
  if (renderer === undefined) {
    const { resultFault = noFault, encodeResult } = entry;
    const checked = checkedRenderer(base, resultFault);
    renderer = encodeResult === undefined ? checked : typedRenderer(checked, encodeResult);
    renderers.set(entry, renderer);
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

/** Converts results before they are rendered. */
export function typedRenderer(base: Renderer, encode: EncodeResult): Renderer {
  return {
    ...base,
    encodeItem: encode,
    render(value, accept, done, source) {
      if (accept === "text") return base.render(value, accept, done, source);
      let json: unknown;
      try {
        json = encodeWhole(value, encode);
      } catch (error) {
        return sendThrown(done, accept, 500, "svc", error);
      }
      base.render(json, accept, done, source);
    },
  };
}

/** Returns a result with its instances of classes converted to JSON values. */
function encodeWhole(value: unknown, encode: EncodeResult): unknown {
  if (isHttpResponse(value) || value instanceof PluginRequest) return value;
  if (value instanceof Page) {
    const { items } = encode({ items: value.items }) as { readonly items: readonly unknown[] };
    return new Page(items, value.next);
  }
  if (!(value instanceof PluginResponse)) return encode(value);
  for (const entry of value.entries) entry[1] = encode(entry[1]);
  return value;
}
