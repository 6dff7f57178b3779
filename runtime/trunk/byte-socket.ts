// The socket interface of both sides of HTTP, implemented by system sockets and by trunk
// streams, so that other code need not distinguish them.

import type { X509Certificate } from "node:crypto";

export interface ByteSocket {
  readonly remotePort?: number | undefined;
  readonly destroyed: boolean;
  readonly bytesRead: number;
  readonly bytesWritten: number;
  /** Bytes written but not sent yet. */
  readonly writableLength: number;
  readonly writableHighWaterMark: number;
  on(event: "data", listener: (chunk: Buffer) => void): unknown;
  on(event: "error", listener: (error: NodeJS.ErrnoException) => void): unknown;
  on(event: SocketEvent, listener: () => void): unknown;
  off(event: SocketEvent, listener: () => void): unknown;
  removeAllListeners(): unknown;
  /** @param released called once the buffer may be reused; never if that is unknown */
  write(bytes: Uint8Array, released?: (error?: Error | null) => void): unknown;
  write(text: string, encoding: "latin1"): unknown;
  cork(): void;
  uncork(): void;
  /** Stops sending; calls `done` once everything was sent. */
  end(done: () => void): unknown;
  pause(): unknown;
  resume(): unknown;
  destroy(): unknown;
  setKeepAlive(isOn: boolean, delayMs: number): unknown;
  /** Emits `timeout` after `ms` without progress in either direction; 0: never. */
  setTimeout(ms: number): unknown;
  /** The verified certificate of the peer; only of TLS connections. */
  getPeerX509Certificate?(): X509Certificate | undefined;
}

type SocketEvent =
  | "connect"
  | "secureConnect"
  /** The peer has not processed anything sent. */
  | "refused"
  | "drain"
  | "end"
  | "close"
  | "timeout";
