// One of several threads that try to lock the same data folder at the same moment, and their
// controller.

import { parentPort, type Worker, workerData } from "node:worker_threads";
import {
  lockRoot,
  type RootLock,
} from "../../../../../../runtime/graph/manager/snapshot/root-lock.js";

interface RacerData {
  readonly racers: number;
  /** Word 0: arrivals at the start of all races so far. */
  readonly gate: Int32Array;
}

export interface LockRacers {
  /** Outcome for each: "locked", or the rejection. */
  race(root: string): Promise<string[]>;
  release(): Promise<void>;
  end(): Promise<void>;
}

export function startLockRacers(racers: number, start: (data: RacerData) => Worker): LockRacers {
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const workers = Array.from({ length: racers }, () => start({ racers, gate }));
  const sendAll = (message: object): Promise<string[]> =>
    Promise.all(workers.map((worker) => send(worker, message)));
  let raceCount = 0;
  return {
    race: (root) => sendAll({ root, gateOpensAt: ++raceCount * racers }),
    release: async () => void (await sendAll({})),
    end: async () => void (await Promise.all(workers.map((worker) => worker.terminate()))),
  };
}

function send(worker: Worker, message: object): Promise<string> {
  return new Promise((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.postMessage(message);
  });
}

if (parentPort !== null) serve(parentPort);

function serve(port: NonNullable<typeof parentPort>): void {
  const { gate } = workerData as RacerData;
  let lock: RootLock | null = null;
  port.on("message", ({ root, gateOpensAt }: { root?: string; gateOpensAt: number }) => {
    if (root === undefined) {
      lock?.release();
      lock = null;
      port.postMessage("released");
      return;
    }
    Atomics.add(gate, 0, 1);
    while (Atomics.load(gate, 0) < gateOpensAt);
    try {
      lock = lockRoot(root);
      port.postMessage("locked");
    } catch (error) {
      port.postMessage((error as Error).message);
    }
  });
}
