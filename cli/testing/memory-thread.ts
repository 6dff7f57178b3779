// What an IO thread is to those who talk to it, without a thread: the server runs in this one, and
// takes requests from a transport that has no sockets.

import { MessageChannel } from "node:worker_threads";
import type { Ask, IoThreadData, Notice } from "../../runtime/engine/io-control.js";
import { IoServer } from "../../runtime/engine/io-server.js";
import type { IoEnd } from "../../runtime/lifecycle/io-thread.js";
import { type Asked, answer } from "../../runtime/wire/asks.js";
import type { MemoryTransport } from "./memory-transport.js";

export function startInThisThread(data: IoThreadData, transport: MemoryTransport): IoEnd {
  const { port1: outside, port2: inside } = new MessageChannel();
  const server = new IoServer(data, (notice: Notice) => inside.postMessage(notice));
  server.transport = async () => ({ transport, reason: "for tests" });
  inside.on("message", (asked: Asked<Ask>) => {
    void answer(inside, asked, (ask) => server.execute(ask));
  });
  return {
    postMessage: (message, transfer = []) => outside.postMessage(message, transfer),
    on: (event, listener) => {
      if (event === "message") outside.on("message", listener);
    },
    terminate: async () => outside.close(),
  };
}
