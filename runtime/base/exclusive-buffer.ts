// Releases large transferred buffers as soon as they are sent. V8 counts external memory and starts
// a full collection of some 10 ms for every 64 MiB received, so buffers are freed explicitly
// instead.

import { MessageChannel, type MessagePort } from "node:worker_threads";

/** Buffers referenced only by their sender. */
const exclusive = new WeakSet<ArrayBufferLike>();
let nowhere: MessagePort | null = null;

/** Marks memory that only the sender of these bytes reads. */
export function markExclusive({ buffer }: Uint8Array): void {
  exclusive.add(buffer);
}

/** Frees sent bytes if they are exclusive: their buffer is detached. */
export function releaseBuffer({ buffer }: Uint8Array): void {
  if (!exclusive.delete(buffer)) return;
  nowhere ??= closedPort();
  nowhere.postMessage(null, [buffer as ArrayBuffer]);
}

/** Transferring a buffer to a closed port detaches and frees it: Node 20 has no other way. */
function closedPort(): MessagePort {
  const { port1 } = new MessageChannel();
  port1.close();
  return port1;
}
