// A thread that serves until it is told to exit, and then exits without closing its server.

import { parentPort } from "node:worker_threads";
import { register } from "tsx/esm/api";

register();
const { loadTransport } = await import("../../runtime/http/load-transport.ts");
const { serverOptions, TestEngine } = await import("../conformance/engine.ts");

const { transport } = await loadTransport("uws", import.meta.dirname);
const options = serverOptions({ maxBodyBytes: 1024, dispatcherNetworks: [] });
const server = await transport.listen(0, "127.0.0.1", options, new TestEngine());
parentPort.on("message", () => process.exit(7));
parentPort.postMessage(server.port);
