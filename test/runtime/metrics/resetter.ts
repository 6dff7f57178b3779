// Thread that resets shared metrics continuously until it is stopped.

import { parentPort, workerData } from "node:worker_threads";
import { Metrics } from "../../../runtime/metrics/metrics.js";

const { buffer, stop } = workerData as { buffer: SharedArrayBuffer; stop: Int32Array };
const metrics = new Metrics(buffer);
parentPort?.postMessage("begun");
while (Atomics.load(stop, 0) === 0) metrics.reset();
