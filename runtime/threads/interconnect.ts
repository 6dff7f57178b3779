// Entry of the interconnect thread: makes, loads and saves graphs, and removes what expires. It
// runs neither user code nor queries, so that nobody keeps it from saving.

import { parentPort, workerData } from "node:worker_threads";
import { log } from "../base/log.js";
import { GraphKeeper } from "../graph/keeper/graph-keeper.js";
import type { InterconnectAsk, InterconnectData } from "../lifecycle/interconnect-control.js";
import type { SupervisedThreadData } from "../lifecycle/supervised-thread.js";
import { type Asked, answerLater, answerOf, raise } from "../wire/sync-port.js";

const { thread, settings, port, signal } = workerData as SupervisedThreadData & InterconnectData;
const keeper = new GraphKeeper(thread, settings, log);

// A fault in one graph must not take the others with it.
process.on("uncaughtException", (error) => log(`internal error: ${error.stack ?? error.message}`));

function act(ask: InterconnectAsk): unknown {
  switch (ask.op) {
    case "keep":
      return keeper.keep(ask.request);
    case "adopt":
      for (const graph of ask.graphs) keeper.adopt(graph);
      return null;
    case "save":
      return keeper.save(ask.timeoutMs);
  }
}

port.on("message", ({ number, ask }: Asked<InterconnectAsk>) => {
  port.postMessage(answerOf(number, () => act(ask)));
  raise(signal);
});
parentPort!.on("message", async ({ number, ask }: Asked<InterconnectAsk>) => {
  parentPort!.postMessage(await answerLater(number, () => act(ask)));
});
