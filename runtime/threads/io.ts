// Entry of the IO thread: both servers, the request engine and the scheduler, driven by asks of the
// main thread.

import { parentPort, workerData } from "node:worker_threads";
import { log } from "../base/log.js";
import type { Ask, IoThreadData, Notice } from "../engine/io-control.js";
import { IoServer } from "../engine/io-server.js";
import { type Asked, answer } from "../wire/asks.js";

const port = parentPort!;
const server = new IoServer(workerData as IoThreadData, (notice: Notice) =>
  port.postMessage(notice),
);

// A fault here is a defect of the server; the connections of all clients are worth more than a
// clean exit.
process.on("uncaughtException", (error) =>
  log(`internal error: ${error.stack ?? error.message}`, "error"),
);

port.on("message", (asked: Asked<Ask>) => void answer(port, asked, (ask) => server.execute(ask)));
