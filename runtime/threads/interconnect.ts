// Entry of the interconnect thread: makes, loads and saves graphs, keeps the log of their changes,
// and removes what expires. It runs neither user code nor queries, so that nobody keeps it from
// that.

import { parentPort, workerData } from "node:worker_threads";
import { log } from "../base/log.js";
import { LogClock } from "../graph/log/logged-store.js";
import { Interconnect } from "../interconnect/interconnect.js";
import type { InterconnectAsk, InterconnectData } from "../lifecycle/interconnect-control.js";
import type { SupervisedThreadData } from "../lifecycle/supervised-thread.js";
import { type Asked, answer } from "../wire/asks.js";

const data = workerData as SupervisedThreadData & InterconnectData;
const { thread, settings, port, signal } = data;
const interconnect = new Interconnect(thread, settings, new LogClock(data.clock), log);

// A fault in one graph must not take the others with it.
process.on("uncaughtException", (error) =>
  log(`internal error: ${error.stack ?? error.message}`, "error"),
);

function act(ask: InterconnectAsk): unknown {
  switch (ask.op) {
    case "keep":
      return interconnect.keep(ask.request);
    case "recover":
      return interconnect.recover(ask.isStorable);
    case "adopt":
      return interconnect.adopt(ask.graphs);
    case "save":
      return interconnect.save(ask.timeoutMs);
    case "erase":
      return interconnect.erase(ask.identity);
    case "closeLog":
      return interconnect.closeLog();
  }
}

port.on("message", (asked: Asked<InterconnectAsk>) => void answer(port, asked, act, signal));
parentPort!.on("message", (asked: Asked<InterconnectAsk>) => void answer(parentPort!, asked, act));
