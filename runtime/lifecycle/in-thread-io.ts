// The code of the IO thread in the thread that starts it, for servers of tests.

import { MessageChannel } from "node:worker_threads";
import { executeCall, type RpcRequest } from "../base/wire/rpc-messages.js";
import type { Connect } from "../dispatch/connector.js";
import type { ControlRequest, IoThreadData } from "../engine/io-control.js";
import type { Transport } from "../http/transport.js";
import { assembleIo } from "./assemble-io.js";
import type { IoThreadHandle } from "./io-worker.js";

/**
 * @param transport accepts the connections of clients
 * @param connect opens connections to back-ends
 */
export function startIoInThread(
  data: IoThreadData,
  transport: Transport,
  connect: Connect,
): IoThreadHandle {
  const { port1: outside, port2: inside } = new MessageChannel();
  const assembled = assembleIo(data, (notice) => inside.postMessage(notice), connect).then(
    (server) => {
      server.transport = async () => ({ transport, reason: "for tests" });
      return server;
    },
  );
  inside.on("message", (request: RpcRequest<ControlRequest>) => {
    void executeCall(inside, request, async (command) => (await assembled).execute(command));
  });
  return {
    postMessage: (message, transfer = []) => outside.postMessage(message, transfer),
    on: (event, listener) => {
      if (event === "message") outside.on("message", listener);
    },
    terminate: async () => outside.close(),
  };
}
