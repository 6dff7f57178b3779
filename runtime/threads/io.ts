// Entry of the IO thread: both servers, the request engine and the scheduler, controlled by the
// main thread. Its code is loaded before it receives its data, which is the first message.

import { inherit } from "../base/inherited-data.js";
import { log } from "../base/log.js";
import { executeCall, type RpcRequest } from "../base/wire/rpc-messages.js";
import type {
  ControlledServer,
  ControlRequest,
  IoNotification,
  IoStart,
} from "../engine/io-control.js";
import type { IoServer } from "../engine/io-server.js";
import { assembleIo } from "../lifecycle/assemble-io.js";
import { Metrics } from "../metrics/metrics.js";
import { measureThread } from "../metrics/thread-gauges.js";
import { describeUncaught, hasPluginFrames } from "../plugin/contract/stack-trace.js";
import { hideCodeFolder, takeWorkerData } from "./own-data.js";

measureThread();
const { control: port } = takeWorkerData<ControlledServer>();

port.once("message", (start: IoStart) => {
  const assembled = assemble(start);
  port.on(
    "message",
    (request: RpcRequest<ControlRequest>) =>
      void executeCall(port, request, async (command) => (await assembled).execute(command)),
  );
});

async function assemble({ data, inherited }: IoStart): Promise<IoServer> {
  inherit(inherited);
  hideCodeFolder();
  const metrics = new Metrics(data.metrics);
  const server = await assembleIo(data, (notice: IoNotification) => port.postMessage(notice));
  // An uncaught exception is a defect of the server, or background work of an inline plugin. The
  // connections of clients are worth more than a clean exit.
  // Not an event listener, which such a plugin could remove: `process.removeAllListeners()`.
  process.setUncaughtExceptionCaptureCallback((error: unknown) => {
    const isOfPlugin = hasPluginFrames(error);
    if (isOfPlugin) metrics.countStrayException();
    const cause = isOfPlugin ? "uncaught exception outside a request" : "internal error";
    log(`${cause}: ${describeUncaught(error)}`, "error");
  });
  return server;
}
