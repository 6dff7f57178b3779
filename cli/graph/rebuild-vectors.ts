// Converts vectors in a data folder, or in a running server without interrupting service.

import { SvcError } from "../../runtime/base/errors.js";
import type { VectorPrecision, VectorSettings } from "../../runtime/index.js";
import { withGraph } from "./open-graph.js";

interface RebuildOptions {
  /** Data folder; ignored with `url`. */
  readonly root: string;
  readonly url: string | null;
  /** Null: that of the graph. */
  readonly precision: VectorPrecision | null;
  /** Name of the vectors that get it; empty: those without one. */
  readonly vectors: string;
}

/** Result of the built-in service `rebuildvectors`. */
interface Rebuilt extends VectorSettings {
  readonly converted: number;
}

/** @throws SvcError SVC3060 if there is no such graph, SVC2701 without a response */
export async function rebuildVectors(name: string | null, options: RebuildOptions): Promise<void> {
  if (name === null) throw new SvcError("SVC3060", "graph name missing: pass --graph");
  const { url } = options;
  const result =
    url === null ? await rebuildInFolder(name, options) : await rebuildByServer(name, url, options);
  console.log(`${result.converted} vectors converted to ${result.precision}`);
}

async function rebuildInFolder(
  name: string,
  { root, precision, vectors }: RebuildOptions,
): Promise<Rebuilt> {
  let result: Rebuilt | null = null;
  await withGraph(name, root, true, async (graph) => {
    if (precision !== null) graph.setVectorSettings({ precision }, vectors);
    const converted = await graph.rebuildVectors();
    graph.save();
    result = { converted, ...(graph.vectorNames[vectors] ?? graph.vectorSettings) };
  });
  return result!;
}

async function rebuildByServer(
  graph: string,
  url: string,
  { precision, vectors }: RebuildOptions,
): Promise<Rebuilt> {
  const query = new URLSearchParams({
    graph,
    ...(precision !== null && { precision }),
    ...(vectors !== "" && { name: vectors }),
  });
  const target = new URL(`/svc/builtin/rebuildvectors?${query}`, url);
  let body: { readonly response?: Rebuilt; readonly message?: unknown };
  try {
    const response = await fetch(target, { method: "POST", headers: { "X-SVC-Change": "1" } });
    body = (await response.json()) as typeof body;
  } catch (error) {
    throw new SvcError("SVC2701", `${url}: ${(error as Error).message}`, { cause: error });
  }
  if (body.response !== undefined && body.response !== null) return body.response;
  throw new SvcError("SVC3060", `${url}: ${JSON.stringify(body.message ?? body)}`);
}
