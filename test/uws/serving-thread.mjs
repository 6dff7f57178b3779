// A thread that serves until it is told to exit, and then exits without closing its server.

import { parentPort } from "node:worker_threads";
import { transpiledModule } from "../runner/transpiled.mjs";

const load = (source) => import(transpiledModule(new URL(source, import.meta.url)));
const { loadTransport } = await load("../../runtime/http/load-transport.ts");
const { serverOptions, TestEngine } = await load("../conformance/engine.ts");

const { transport } = await loadTransport("uws", import.meta.dirname);
const options = serverOptions({ maxBodyBytes: 1024, dispatcherNetworks: [] });
const server = await transport.listen(0, "127.0.0.1", options, new TestEngine());
parentPort.on("message", () => process.exit(7));
parentPort.postMessage(server.port);
