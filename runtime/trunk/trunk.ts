// Multiplexes streams over one connection; the same on both sides. Everything written in a turn of
// the event loop leaves in one write, a frame of each stream in round-robin order. While the
// connection has no room, data waits in the streams.

import type { X509Certificate } from "node:crypto";
import { assert } from "../base/assert.js";
import { Fifo } from "../base/fifo.js";
import type { ByteSocket } from "./byte-socket.js";
import {
  type EndFrame,
  FRAME,
  FrameReader,
  frameHeader,
  MAX_FRAME_BYTES,
  MAX_STREAM_ID,
} from "./frames.js";
import { StallDetector } from "./stall-detector.js";
import { type MemoryAccount, TrunkStream } from "./trunk-stream.js";

/** Limit of data in the socket's own queue; the rest waits in the streams. */
const MAX_UNSENT_BYTES = 256 * 1024;

/** Callbacks of a trunk's owner. */
export interface TrunkEvents {
  /**
   * Accepts a stream opened by the peer; returns false to refuse it. Null if the peer may not open
   * streams.
   */
  readonly onOpen: ((stream: TrunkStream) => boolean) | null;
  /** Called when a stream has closed. */
  onStreamClose(): void;
  /** Called when the peer does not read. */
  readonly onStall: () => void;
  /** Accounts for data received on paused streams. */
  readonly memory: MemoryAccount | null;
}

export class Trunk {
  readonly #socket: ByteSocket;
  readonly #events: TrunkEvents;
  readonly #reader: FrameReader;
  readonly #streams = new Set<TrunkStream>();
  /** Streams whose first frame was sent or received. */
  readonly #byId = new Map<number, TrunkStream>();
  /** Streams with data to send. */
  readonly #ready = new Fifo<TrunkStream>();
  /** Frames without content, sent first. */
  #ends = "";
  #lastId = 0;
  #isScheduled = false;
  #isLost = false;
  readonly #flushTurn = (): void => {
    this.#isScheduled = false;
    this.flush();
  };
  #isConnected: boolean;
  readonly #stall: StallDetector;

  /** @param isConnected false: nothing is sent before `connected` is called */
  constructor(socket: ByteSocket, events: TrunkEvents, isConnected: boolean) {
    this.#socket = socket;
    this.#events = events;
    this.#isConnected = isConnected;
    this.#reader = new FrameReader({
      data: (id, bytes) => this.#data(id, bytes),
      onEnd: (id, type) => this.#ended(id, type),
    });
    socket.on("drain", () => this.#schedule());
    this.#stall = new StallDetector(socket, events.onStall);
  }

  get remotePort(): number | undefined {
    return this.#socket.remotePort;
  }

  getPeerX509Certificate(): X509Certificate | undefined {
    return this.#socket.getPeerX509Certificate?.();
  }

  get memory(): MemoryAccount | null {
    return this.#events.memory;
  }

  /** Open streams. */
  get size(): number {
    return this.#streams.size;
  }

  get isUsedUp(): boolean {
    return this.#lastId + this.#streams.size >= MAX_STREAM_ID;
  }

  /** Called once the connection is established. */
  connected(): void {
    assert(!this.#isConnected, "a trunk is connected once");
    this.#isConnected = true;
    this.flush();
  }

  /** Returns a new stream, announced to the peer by its first frame. */
  open(): TrunkStream {
    const stream = new TrunkStream(this, 0);
    this.#streams.add(stream);
    return stream;
  }

  /** @returns false if the peer violates the protocol: the trunk must close */
  receive(chunk: Buffer): boolean {
    return this.#reader.feed(chunk);
  }

  /**
   * Ends all streams after the loss of the connection.
   * @param error `refused`: the peer has processed none of them; null: the peer closed regularly
   */
  lost(error: Error | "refused" | null): void {
    if (this.#isLost) return;
    this.#isLost = true;
    for (const stream of [...this.#streams]) {
      if (error === "refused") stream.endByPeer("refused", null);
      else stream.endByPeer(error === null ? "end" : "error", error);
    }
  }

  // StreamOwner

  onReady(stream: TrunkStream): void {
    if (stream.isReady || this.#isLost) return;
    stream.isReady = true;
    this.#ready.push(stream);
    this.#schedule();
  }

  onClose(stream: TrunkStream): void {
    this.#streams.delete(stream);
    this.#byId.delete(stream.id);
    if (stream.id > 0 && !stream.isEnded && !this.#isLost) {
      this.#ends += frameHeader(stream.id, FRAME.reset, 0);
      this.#schedule();
    }
    this.#events.onStreamClose();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    // Once per turn, after everything that arrived in it; a single stream need not wait.
    if (this.#streams.size > 1) setImmediate(this.#flushTurn);
    else process.nextTick(this.#flushTurn);
  }

  /** Sends as much as the connection takes. */
  flush(): void {
    const socket = this.#socket;
    if (this.#isLost || !this.#isConnected || socket.destroyed) return;
    if (this.#ends === "" && this.#ready.size === 0) return;
    let text = this.#ends;
    this.#ends = "";
    while (socket.writableLength + text.length < MAX_UNSENT_BYTES) {
      const stream = this.#ready.shift();
      if (stream === undefined) break;
      assert(stream.isReady, "queued streams are ready");
      stream.isReady = false;
      if (!stream.destroyed) text = this.#appendFrame(stream, text);
    }
    if (text !== "") socket.write(text, "latin1");
    this.#stall.written();
  }

  /** @returns `text` with the next frame of a stream, as far as it is text */
  #appendFrame(stream: TrunkStream, text: string): string {
    let frames = text;
    const content = stream.take();
    if (content !== null) {
      // Assigned here because streams must start in the order of their ids.
      if (stream.id === 0) {
        stream.id = ++this.#lastId;
        this.#byId.set(stream.id, stream);
      }
      assert(stream.id <= MAX_STREAM_ID, "streams have 32-bit ids");
      assert(content.length <= MAX_FRAME_BYTES, "content fits into a frame");
      frames += frameHeader(stream.id, FRAME.data, content.length);
      if (typeof content === "string") frames += content;
      else {
        this.#socket.cork();
        this.#socket.write(frames, "latin1");
        this.#socket.write(content);
        this.#socket.uncork();
        frames = "";
      }
    }
    if (stream.writableLength > 0) this.onReady(stream);
    else if (stream.isAtEnd) {
      frames += frameHeader(stream.id, FRAME.end, 0);
      stream.isEnded = true;
    }
    stream.handleSent();
    return frames;
  }

  #data(id: number, bytes: Buffer): boolean {
    const stream = this.#byId.get(id) ?? this.#opened(id);
    stream?.receive(bytes);
    // Frames of closed streams may arrive late.
    return !this.#isLost && id <= this.#lastId;
  }

  #opened(id: number): TrunkStream | null {
    const { onOpen: opened } = this.#events;
    if (opened === null || id <= this.#lastId) return null;
    this.#lastId = id;
    const stream = new TrunkStream(this, id);
    this.#streams.add(stream);
    this.#byId.set(id, stream);
    if (opened(stream)) return stream;
    stream.isEnded = true;
    stream.destroy();
    this.#ends += frameHeader(id, FRAME.refuse, 0);
    this.#schedule();
    return null;
  }

  #ended(id: number, type: EndFrame): boolean {
    // The side that opens streams may only reset them.
    if (this.#events.onOpen !== null && type !== FRAME.reset) return false;
    const stream = this.#byId.get(id);
    // A peer that has responded has processed the request, which must not run again elsewhere.
    if (type === FRAME.refuse && (stream?.bytesRead ?? 0) > 0) return false;
    if (type === FRAME.end) stream?.endByPeer("end", null);
    else if (type === FRAME.refuse) stream?.endByPeer("refused", null);
    else stream?.endByPeer("error", new Error("connection reset by the other side"));
    return !this.#isLost && id <= this.#lastId;
  }
}
