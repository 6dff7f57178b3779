// Writes a graph as JSON lines: first its vertices, then its arcs. Virtual vertices have no line of
// their own: they are created with their arcs.

import { once } from "node:events";
import { createWriteStream } from "node:fs";
import type { Writable } from "node:stream";
import { SvcError } from "../../runtime/base/errors.js";
import { type Feature, type Graph, T_NEVER, type Vector } from "../../runtime/index.js";
import { plainValue } from "./import-record.js";
import { withGraph } from "./open-graph.js";

/** Number of lines written at once. */
const BATCH = 256;

/** @throws SvcError SVC3060 if there is no such graph, SVC3061 if the file cannot be written */
export async function exportGraph(
  file: string | null,
  name: string | null,
  root: string,
): Promise<void> {
  await withGraph(name, root, true, async (graph) => {
    const out = file === null ? process.stdout : createWriteStream(file);
    try {
      await writeLines(out, graphLines(graph));
      if (file !== null) {
        out.end();
        await once(out, "finish");
      }
    } catch (error) {
      // A reader such as `head` has enough.
      if (file === null && (error as NodeJS.ErrnoException).code === "EPIPE") return;
      const reason = (error as Error).message;
      throw new SvcError("SVC3061", `${file ?? "standard output"}: ${reason}`, { cause: error });
    }
  });
}

async function writeLines(out: Writable, lines: Iterable<string>): Promise<void> {
  let failure: Error | null = null;
  out.on("error", (error) => {
    failure = error;
  });
  let batch: string[] = [];
  const flush = async (): Promise<void> => {
    if (batch.length === 0) return;
    const isRoom = out.write(`${batch.join("\n")}\n`);
    batch = [];
    if (!isRoom && failure === null) await once(out, "drain");
    if (failure !== null) throw failure;
  };
  for (const line of lines) {
    batch.push(line);
    if (batch.length === BATCH) await flush();
  }
  await flush();
}

function* graphLines(graph: Graph): Generator<string> {
  const settings = settingsLine(graph);
  if (settings !== null) yield settings;
  const names = Object.keys(graph.vectorNames);
  const ids = graph.vertices();
  for (const id of ids) {
    const line = vertexLine(graph, id, names);
    if (line !== null) yield line;
  }
  for (const id of ids) yield* arcLines(graph, id);
}

/** Returns null if all settings are the defaults. */
function settingsLine(graph: Graph): string | null {
  const { precision, measure } = graph.vectorSettings;
  const named = Object.entries(graph.vectorNames).map(([name, known]) => [
    name,
    { precision: known.precision, measure: known.measure },
  ]);
  const isDefault = precision === "int8" && measure === "cosine" && named.length === 0;
  if (isDefault) return null;
  const others = named.length > 0 && { named: Object.fromEntries(named) };
  return JSON.stringify({ vectors: { precision, measure, ...others } });
}

function vertexLine(graph: Graph, id: string, names: readonly string[]): string | null {
  const vertex = graph.getVertex(id);
  try {
    if (vertex.virtual) return null;
    const { properties, tmx } = vertex;
    const type = vertex.type === "__vertex__" ? {} : { type: vertex.type };
    const plain = Object.entries(properties).map(([key, value]) => [key, plainValue(value)]);
    const named = names
      .filter((name) => vertex.hasVector(name))
      .map((name) => [name, shownVector(vertex.getVector(name))]);
    return JSON.stringify({
      id,
      ...type,
      ...(tmx < T_NEVER && { expires: tmx }),
      ...(plain.length > 0 && { properties: Object.fromEntries(plain) }),
      ...(vertex.hasVector() && { vector: shownVector(vertex.getVector()) }),
      ...(named.length > 0 && { vectors: Object.fromEntries(named) }),
    });
  } finally {
    vertex.close();
  }
}

/** Returns features unchanged, and numbers as base64 of float32s, which is shorter. */
function shownVector({ features, external }: Vector): string | Feature[] {
  if (features.length > 0) return features;
  return Buffer.from(Float32Array.from(external).buffer).toString("base64");
}

function* arcLines(graph: Graph, initial: string): Generator<string> {
  for (const [, relationship, modifier, value, terminal] of graph.outarcs(initial)) {
    yield JSON.stringify({ initial, relationship, modifier, value, terminal });
  }
}
