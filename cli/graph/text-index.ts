// The option `--text-index` of an import: declares an index and waits until it is built, so that it
// is part of the snapshot.

import { setTimeout as sleep } from "node:timers/promises";
import { SvcError } from "../../runtime/base/errors.js";
import type { TextIndexOptions } from "../../runtime/graph/api/entry-points.js";
import type { Graph } from "../../runtime/index.js";

const POLL_MS = 50;

/**
 * Parses keys separated by commas, or the options of the index as JSON.
 * @throws SvcError SVC3060 invalid JSON
 */
export function parseTextIndex(text: string): TextIndexOptions {
  if (!text.trimStart().startsWith("{")) {
    return { keys: text.split(",").map((key) => key.trim()) };
  }
  try {
    return JSON.parse(text) as TextIndexOptions;
  } catch (cause) {
    const reason = (cause as Error).message;
    throw new SvcError("SVC3060", `invalid JSON in --text-index: ${reason}`, { cause });
  }
}

/** @throws SvcError SVC3060 if the graph refuses the definition */
export async function buildTextIndex(graph: Graph, options: TextIndexOptions): Promise<void> {
  try {
    graph.index("text", options);
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof SvcError)) throw error;
    throw new SvcError("SVC3060", `--text-index: ${error.message}`, { cause: error });
  }
  const { name = "text" } = options;
  for (;;) {
    const index = graph.textIndexes().find((candidate) => candidate.name === name);
    if (index === undefined || (index.complete && index.pending === 0)) return;
    await sleep(POLL_MS);
  }
}
