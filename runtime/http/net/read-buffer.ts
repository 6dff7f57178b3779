// The connections of a thread read into one buffer. Node would allocate another one for each read,
// and the garbage of a few large bodies makes V8 collect the whole heap, on all cores.

import { Socket } from "node:net";

/** Maximum that libuv reads at once. */
const BUFFER_BYTES = 64 * 1024;

const buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);

/** Reused by the next read if that has the same length, as repeated requests have. */
let chunk = buffer.subarray(0, 0);

function received(this: Socket, count: number): boolean {
  if (chunk.length !== count) chunk = buffer.subarray(0, count);
  this.emit("data", chunk);
  return true;
}

/** Node offers this option only for sockets that a program creates, and stores it under symbols. */
const OPTION: object = { onread: { buffer, callback: received } };
const FIELDS = fieldsOf(new Socket(OPTION));

/**
 * Lets a connection read into the shared buffer: the bytes of its event `data` are overwritten once
 * all listeners have returned. Does nothing if this version of Node has no such buffers.
 */
export function useReadBuffer(socket: Socket): void {
  const { _handle: handle } = socket as unknown as { readonly _handle?: StreamHandle | null };
  if (handle?.useUserBuffer === undefined || FIELDS.length !== 2) return;
  for (const [symbol, value] of FIELDS) Reflect.set(socket, symbol, value);
  handle.useUserBuffer(buffer);
}

interface StreamHandle {
  useUserBuffer?(buffer: Uint8Array): void;
}

function fieldsOf(socket: Socket): [symbol, unknown][] {
  return Object.getOwnPropertySymbols(socket)
    .map((symbol): [symbol, unknown] => [symbol, Reflect.get(socket, symbol)])
    .filter(([, value]) => value === buffer || value === received);
}
