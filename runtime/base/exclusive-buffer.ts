// Large memory that one thread has received from another, to send it out and forget it. V8 counts
// it, and looks through all the thread has whenever 64 MiB have come, for some 10 ms each time: so
// such memory is given back as soon as it is out, instead of being found by a collection.

import { MessageChannel, type MessagePort } from "node:worker_threads";

/** Nobody refers to these but who sends what is in them. */
const sole = new WeakSet<ArrayBufferLike>();
let nowhere: MessagePort | null = null;

/** Only for memory that nobody will read but who sends these bytes, or a part of them. */
export function markExclusive({ buffer }: Uint8Array): void {
  sole.add(buffer);
}

/** The bytes are out. Those that are nobody else's are empty from now on. */
export function releaseBuffer({ buffer }: Uint8Array): void {
  if (!sole.delete(buffer)) return;
  nowhere ??= closedPort();
  nowhere.postMessage(null, [buffer as ArrayBuffer]);
}

/** What is sent to where nobody is, ends there: Node 20 has no other way. */
function closedPort(): MessagePort {
  const { port1 } = new MessageChannel();
  port1.close();
  return port1;
}
