// The worker of the IO thread. It loads its code until it receives its data, so that a command that
// is going to serve starts it before it loads and reads what else it needs.

import {
  MessageChannel,
  type MessagePort,
  type Transferable,
  type Worker,
} from "node:worker_threads";
import { availableAddressSpace } from "../base/address-space.js";
import { inheritedData } from "../base/inherited-data.js";
import type { ControlledServer, IoStart, IoThreadData } from "../engine/io-control.js";
import { prepareUws } from "../http/uws/environment.js";
import { exitWhenOrphaned, startThread } from "./start-thread.js";

/** The interface needed of the thread that owns the sockets. */
export interface IoThreadHandle {
  postMessage(message: unknown, transfer?: readonly Transferable[]): void;
  on(event: "message" | "error" | "exit", listener: (value: unknown) => void): unknown;
  terminate(): Promise<unknown>;
}

export type StartIo = (data: IoThreadData) => IoThreadHandle;

interface IoWorker {
  readonly worker: Worker;
  readonly control: MessagePort;
}

let ahead: IoWorker | null = null;

/**
 * Starts the worker of the next IO thread, unless one waits. It does not keep the process alive.
 */
export function startIoAhead(): void {
  if (ahead !== null) return;
  // Under a limit, no thread starts before there is room for all.
  if (Number.isFinite(availableAddressSpace())) return;
  const next = create();
  // Another one is started in place of a dead one, and reports why.
  const forget = (): void => {
    if (ahead === next) ahead = null;
  };
  next.worker.on("error", forget).on("exit", forget).unref();
  ahead = next;
}

/** Starts an IO thread, in the worker that was started ahead if there is one. */
export function startIoWorker(data: IoThreadData): IoThreadHandle {
  const { worker, control } = ahead ?? create();
  ahead = null;
  worker.ref();
  control.postMessage({ data, inherited: inheritedData() } satisfies IoStart);
  return {
    postMessage: (message, transfer = []) => control.postMessage(message, transfer),
    on: (event, listener) =>
      event === "message" ? control.on(event, listener) : worker.on(event, listener),
    terminate: () => worker.terminate(),
  };
}

function create(): IoWorker {
  prepareUws();
  const { port1: control, port2 } = new MessageChannel();
  const worker = startThread("io", {
    workerData: { control: port2 } satisfies ControlledServer,
    transferList: [port2],
    name: "svc-io",
  });
  exitWhenOrphaned(worker, control);
  return { worker, control };
}
