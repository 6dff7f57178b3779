// A thread that searches texts until it is stopped, and reports its wrong results.

import { parentPort, workerData } from "node:worker_threads";
import { Graph } from "../../../runtime/graph/api/graph.js";
import { Session } from "../../../runtime/graph/changes/sessions/session.js";
import type { SharedGraphMemory } from "../../../runtime/graph/memory/graph-memory.js";
import { GraphStore } from "../../../runtime/graph/store/graph-store.js";

export interface TextSearcherData {
  readonly share: SharedGraphMemory;
  readonly thread: number;
  /** Vertices `fixed0`, `fixed1` … whose texts never change. */
  readonly fixed: number;
  /** First word: 1 ends the thread; second word: number of searches so far. */
  readonly control: SharedArrayBuffer;
}

const { share, thread, fixed, control } = workerData as TextSearcherData;
const store = GraphStore.attach(share, thread);
const graph = new Graph({ store, session: new Session(store), path: null, isLocal: false });
const words = new Int32Array(control);
const faults: string[] = [];
const TEXTS = ["alpha", "alpha beta", '"alpha beta"', "alp* bet*", "alpha gamma -delta"];
let searches = 0;
while (Atomics.load(words, 0) === 0 && faults.length < 10) {
  try {
    compare(TEXTS[searches % TEXTS.length]!);
  } catch (error) {
    faults.push(String(error));
  }
  searches++;
  Atomics.store(words, 1, searches);
}
parentPort!.postMessage({ faults });

function compare(text: string): void {
  const hits = searches % 3 === 0 ? fixed : -1;
  const match = text.includes("gamma") ? "any" : "all";
  const hitsFound = graph.search(text, { hits, match });
  const ids = new Set(hitsFound);
  if (ids.size !== hitsFound.length) faults.push(`${text}: duplicates`);
  if (hits === -1) {
    for (let index = 0; index < fixed; index++) {
      if (!ids.has(`fixed${index}`)) faults.push(`${text}: fixed${index} is missing`);
    }
  } else if (hitsFound.length !== fixed) faults.push(`${text}: ${hitsFound.length} of ${fixed}`);
  const swapped = graph.search("swapword", { hits: -1 });
  if (swapped.length !== 1 || swapped[0] !== "swapped") faults.push(`swapped: ${swapped}`);
  const condition = { text: { in: "text", query: "swapword" } };
  const tested = graph.vertices({ condition });
  if (tested.length !== 1 || tested[0] !== "swapped") faults.push(`condition: ${tested}`);
}
