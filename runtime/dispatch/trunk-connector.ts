// Opens streams on a trunk: one connection to a back-end, opened with the first stream and closed
// when unused. A back-end that refuses trunks has not seen any stream, so their requests may go
// elsewhere.

import type { BackEndAddress } from "../settings/matrix-config.js";
import type { ByteSocket } from "../trunk/byte-socket.js";
import { INVALID_FRAME, TRUNK_LINE } from "../trunk/frames.js";
import { Trunk } from "../trunk/trunk.js";
import type { Connector, Opener, ReadCallback } from "./connector.js";

/** Receive buffer shared by all trunks, valid until the next bytes arrive: no allocation. */
const RECEIVED = Buffer.allocUnsafeSlow(64 * 1024);

export class TrunkConnector implements Opener {
  readonly connected = "connect";
  readonly #connector: Connector;
  readonly #connectTimeoutMs: number;
  readonly #onLost: () => void;
  /** Connection for new streams. */
  #link: Link | null = null;

  /** @param onLost called when the connection for new streams has closed */
  constructor(connector: Connector, connectTimeoutMs: number, onLost: () => void) {
    this.#connector = connector;
    this.#connectTimeoutMs = connectTimeoutMs;
    this.#onLost = onLost;
  }

  open(address: BackEndAddress, { callback }: ReadCallback): ByteSocket {
    if (this.#link?.trunk.isUsedUp) this.leave();
    this.#link ??= this.#connect(address);
    const stream = this.#link.trunk.open();
    stream.on("data", (chunk: Buffer) => callback(chunk.length, chunk));
    return stream;
  }

  /** Opens a new connection for further streams; the current one closes with its last stream. */
  leave(): void {
    const link = this.#link;
    this.#link = null;
    link?.leave();
  }

  /** Abandons a connection that may hang: a request sent on it at `sentMs` has timed out. */
  eject(sentMs: number): void {
    if (this.#link !== null && this.#link.openedMs <= sentMs) this.leave();
  }

  /** Closes an unused connection. */
  trim(): void {
    if (this.#link?.trunk.size === 0) this.leave();
  }

  #connect(address: BackEndAddress): Link {
    const link = new Link(this.#connector, address, this.#connectTimeoutMs, () => {
      if (this.#link !== link) return;
      this.#link = null;
      this.#onLost();
    });
    return link;
  }
}

/** One connection and its trunk. */
class Link {
  readonly trunk: Trunk;
  /** Monotonic milliseconds. */
  readonly openedMs = performance.now();
  readonly #socket: ByteSocket;
  readonly #onLost: () => void;
  readonly #timer: NodeJS.Timeout;
  /** Received part of the line that accepts the trunk. */
  #line = "";
  #isLeaving = false;

  constructor(
    connector: Connector,
    address: BackEndAddress,
    timeoutMs: number,
    onLost: () => void,
  ) {
    this.#onLost = onLost;
    this.#timer = setTimeout(() => this.#end(new Error("connect timeout")), timeoutMs);
    const callback = (count: number, bytes: Uint8Array): boolean => {
      this.#receive((bytes as Buffer).subarray(0, count));
      return true;
    };
    const socket = connector.open(address, { buffer: RECEIVED, callback });
    this.#socket = socket;
    socket.on("end", () => this.#end(null));
    socket.on("error", (error) => this.#end(error));
    socket.on("close", () => this.#end(null));
    socket.write(TRUNK_LINE, "latin1");
    const onStreamClose = (): void => this.#endIfIdle();
    const onStall = (): void => this.#end(new Error("back-end accepts no trunk"));
    this.trunk = new Trunk(socket, { onOpen: null, onStreamClose, onStall, memory: null }, false);
    socket.on(connector.connected, () => {
      clearTimeout(this.#timer);
      this.trunk.connected();
    });
  }

  leave(): void {
    this.#isLeaving = true;
    this.#endIfIdle();
  }

  #endIfIdle(): void {
    if (this.#isLeaving && this.trunk.size === 0) this.#end(null);
  }

  /** @param chunk overwritten after this returns */
  #receive(chunk: Buffer): void {
    if (this.#socket.destroyed) return;
    let at = 0;
    if (this.#line.length < TRUNK_LINE.length) {
      at = Math.min(chunk.length, TRUNK_LINE.length - this.#line.length);
      this.#line += chunk.toString("latin1", 0, at);
      if (!TRUNK_LINE.startsWith(this.#line)) return this.#end("refused");
    }
    if (at < chunk.length && !this.trunk.receive(chunk.subarray(at))) {
      this.#end(Object.assign(new Error("invalid frame"), { code: INVALID_FRAME }));
    }
  }

  #end(error: Error | "refused" | null): void {
    clearTimeout(this.#timer);
    this.#onLost();
    this.#socket.destroy();
    this.trunk.lost(error);
  }
}
