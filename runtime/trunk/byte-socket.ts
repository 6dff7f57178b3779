// What HTTP needs of a connection, on either side: sockets of the system have it, and so have the
// streams of a trunk, so that nothing else has to know which of the two it works with.

export interface ByteSocket {
  readonly remotePort?: number | undefined;
  readonly destroyed: boolean;
  readonly bytesRead: number;
  readonly bytesWritten: number;
  /** Bytes that were written and not yet passed on. */
  readonly writableLength: number;
  readonly writableHighWaterMark: number;
  on(event: "data", listener: (chunk: Buffer) => void): unknown;
  on(event: "error", listener: (error: NodeJS.ErrnoException) => void): unknown;
  on(event: SocketEvent, listener: () => void): unknown;
  off(event: SocketEvent, listener: () => void): unknown;
  removeAllListeners(): unknown;
  /** @param passedOn called once nobody reads them any more, where that is known */
  write(bytes: Uint8Array, passedOn?: (error?: Error | null) => void): unknown;
  write(text: string, encoding: "latin1"): unknown;
  cork(): void;
  uncork(): void;
  /** Sends no more; `done` once all was passed on. */
  end(done: () => void): unknown;
  pause(): unknown;
  resume(): unknown;
  destroy(): unknown;
  setKeepAlive(isOn: boolean, delayMs: number): unknown;
  /** `timeout` comes when nothing was received or passed on for so long; 0: never. */
  setTimeout(ms: number): unknown;
}

type SocketEvent =
  | "connect"
  | "secureConnect"
  /** The other side has not looked at what was sent. */
  | "refused"
  | "drain"
  | "end"
  | "close"
  | "timeout";
