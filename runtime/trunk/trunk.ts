// Many streams over one connection, the same on both sides. All that streams write in a turn of the
// event loop leaves in one write, a piece of each in turn; while the connection takes no more, it
// waits in the streams.

import { Fifo } from "../base/fifo.js";
import type { ByteSocket } from "./byte-socket.js";
import { type EndFrame, FRAME, FrameReader, frameHeader, MAX_STREAM_ID } from "./frames.js";
import { StallDetector } from "./stall-detector.js";
import { type MemoryAccount, TrunkStream } from "./trunk-stream.js";

/** Written and not yet taken by the system: more of it would only wait elsewhere. */
const MAX_UNSENT_BYTES = 256 * 1024;

/** What the owner of a trunk is told. */
export interface TrunkEvents {
  /** The other side has opened a stream; false refuses it. Null where it may open none. */
  readonly opened: ((stream: TrunkStream) => boolean) | null;
  /** A stream is no more. */
  left(): void;
  /** The other side takes nothing. */
  readonly stalled: () => void;
  /** For what streams receive that do not read. */
  readonly memory: MemoryAccount | null;
}

export class Trunk {
  readonly #socket: ByteSocket;
  readonly #events: TrunkEvents;
  readonly #reader: FrameReader;
  readonly #streams = new Set<TrunkStream>();
  /** Those that both sides know. */
  readonly #byId = new Map<number, TrunkStream>();
  /** Those that have something to send. */
  readonly #ready = new Fifo<TrunkStream>();
  /** Frames without content, which go first. */
  #ends = "";
  #lastId = 0;
  #isScheduled = false;
  #isLost = false;
  readonly #turn = (): void => {
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
      ended: (id, type) => this.#ended(id, type),
    });
    socket.on("drain", () => this.#schedule());
    this.#stall = new StallDetector(socket, events.stalled);
  }

  get remotePort(): number | undefined {
    return this.#socket.remotePort;
  }

  get memory(): MemoryAccount | null {
    return this.#events.memory;
  }

  /** Streams that are open. */
  get size(): number {
    return this.#streams.size;
  }

  get isUsedUp(): boolean {
    return this.#lastId + this.#streams.size >= MAX_STREAM_ID;
  }

  /** The connection has come about. */
  connected(): void {
    this.#isConnected = true;
    this.flush();
  }

  /** A new stream, of which the other side hears with the first bytes written to it. */
  open(): TrunkStream {
    const stream = new TrunkStream(this, 0);
    this.#streams.add(stream);
    return stream;
  }

  /** @returns false when the other side does not keep to the rules: the trunk has to end */
  receive(chunk: Buffer): boolean {
    return this.#reader.feed(chunk);
  }

  /**
   * The connection is gone: so are all streams.
   * @param error `refused`: the other side has not looked at any; null: it has ended all
   */
  lost(error: Error | "refused" | null): void {
    if (this.#isLost) return;
    this.#isLost = true;
    for (const stream of [...this.#streams]) {
      if (error === "refused") stream.over("refused", null);
      else stream.over(error === null ? "end" : "error", error);
    }
  }

  // StreamOwner

  ready(stream: TrunkStream): void {
    if (stream.isReady || this.#isLost) return;
    stream.isReady = true;
    this.#ready.push(stream);
    this.#schedule();
  }

  left(stream: TrunkStream): void {
    this.#streams.delete(stream);
    this.#byId.delete(stream.id);
    if (stream.id > 0 && !stream.isOver && !this.#isLost) {
      this.#ends += frameHeader(stream.id, FRAME.reset, 0);
      this.#schedule();
    }
    this.#events.left();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    // After all that has arrived in this turn, not after each of it; one alone waits for nobody.
    if (this.#streams.size > 1) setImmediate(this.#turn);
    else process.nextTick(this.#turn);
  }

  /** Passes on what the connection takes now. */
  flush(): void {
    const socket = this.#socket;
    if (this.#isLost || !this.#isConnected || socket.destroyed) return;
    if (this.#ends === "" && this.#ready.size === 0) return;
    let text = this.#ends;
    this.#ends = "";
    while (socket.writableLength + text.length < MAX_UNSENT_BYTES) {
      const stream = this.#ready.shift();
      if (stream === undefined) break;
      stream.isReady = false;
      if (!stream.destroyed) text = this.#takeOf(stream, text);
    }
    if (text !== "") socket.write(text, "latin1");
    this.#stall.written();
  }

  /** @returns `text` with the next frame of a stream, as far as that is text */
  #takeOf(stream: TrunkStream, text: string): string {
    let frames = text;
    const piece = stream.take();
    if (piece !== null) {
      // Not before: streams begin in the order of their numbers.
      if (stream.id === 0) {
        stream.id = ++this.#lastId;
        this.#byId.set(stream.id, stream);
      }
      frames += frameHeader(stream.id, FRAME.data, piece.length);
      if (typeof piece === "string") frames += piece;
      else {
        this.#socket.cork();
        this.#socket.write(frames, "latin1");
        this.#socket.write(piece);
        this.#socket.uncork();
        frames = "";
      }
    }
    if (stream.writableLength > 0) this.ready(stream);
    else if (stream.isAtEnd) {
      frames += frameHeader(stream.id, FRAME.end, 0);
      stream.isOver = true;
    }
    stream.passedOn();
    return frames;
  }

  #data(id: number, bytes: Buffer): boolean {
    const stream = this.#byId.get(id) ?? this.#opened(id);
    stream?.receive(bytes);
    // What comes for streams that were left is late.
    return !this.#isLost && id <= this.#lastId;
  }

  #opened(id: number): TrunkStream | null {
    const { opened } = this.#events;
    if (opened === null || id <= this.#lastId) return null;
    this.#lastId = id;
    const stream = new TrunkStream(this, id);
    this.#streams.add(stream);
    this.#byId.set(id, stream);
    if (opened(stream)) return stream;
    stream.isOver = true;
    stream.destroy();
    this.#ends += frameHeader(id, FRAME.refuse, 0);
    this.#schedule();
    return null;
  }

  #ended(id: number, type: EndFrame): boolean {
    // Whoever opens streams only ever drops them.
    if (this.#events.opened !== null && type !== FRAME.reset) return false;
    const stream = this.#byId.get(id);
    // Who has answered has looked at it: what was done must not be done again elsewhere.
    if (type === FRAME.refuse && (stream?.bytesRead ?? 0) > 0) return false;
    if (type === FRAME.end) stream?.over("end", null);
    else if (type === FRAME.refuse) stream?.over("refused", null);
    else stream?.over("error", new Error("connection reset by the other side"));
    return !this.#isLost && id <= this.#lastId;
  }
}
