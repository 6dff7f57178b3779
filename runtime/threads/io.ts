// Entry of the IO thread: both servers, the request engine and the scheduler, driven by asks of the
// main thread.

import { parentPort, workerData } from "node:worker_threads";
import { SvcError } from "../base/errors.js";
import { log } from "../base/log.js";
import type { Ask, IoThreadData, Notice, NumberedAsk, Reply } from "../engine/io-control.js";
import { IoServer } from "../engine/io-server.js";

const port = parentPort!;
const server = new IoServer(workerData as IoThreadData, (notice: Notice) =>
  port.postMessage(notice),
);

// A fault here is a defect of the server; the connections of all clients are worth more than a
// clean exit.
process.on("uncaughtException", (error) => log(`internal error: ${error.stack ?? error.message}`));

port.on("message", async ({ number, ask }: NumberedAsk) => {
  port.postMessage(await answer(number, ask));
});

async function answer(reply: number, ask: Ask): Promise<Reply> {
  try {
    return { reply, value: await server.execute(ask) };
  } catch (error) {
    const code = error instanceof SvcError ? error.code : "";
    return { reply, failure: { code, message: (error as Error).message } };
  }
}
