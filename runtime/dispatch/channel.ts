// One connection to a back-end, or a stream of one, which carries one request at a time. It
// introduces itself with the identity line, then speaks HTTP; it is opened by its first request and
// never used again after anything went wrong on it.

import { CONNECT_TIMEOUT_MS } from "../base/limits.js";
import type { BackEndAddress } from "../settings/matrix-config.js";
import type { ByteSocket } from "../trunk/byte-socket.js";
import { INVALID_FRAME } from "../trunk/frames.js";
import { type Opener, PLAIN } from "./connector.js";
import { type BackEndResponse, MalformedResponse, ResponseParser } from "./response-parser.js";

/** What arrives on any channel, until the next bytes arrive: nothing is allocated for it. */
const RECEIVED = Buffer.allocUnsafeSlow(64 * 1024);

/** Why a request has no answer. */
export type ChannelFault =
  /** The back-end cannot have seen the request. */
  | "unconnected"
  /** This process has no file descriptor left: no fault of the back-end. */
  | "no-descriptor"
  /** The connection ended before any byte of the answer: it may have been executed. */
  | "no-answer"
  /** It ended in the middle of the answer, or what came was none. */
  | "bad-answer";

/** As the interface calls what a channel does. */
export type ChannelState =
  | "RESET"
  | "READY"
  | "IDENT"
  | "SEND"
  | "RECV_INITIAL"
  | "RECV_HEADERS"
  | "RECV_CONTENT";

/** Takes what becomes of a request. */
export interface ChannelUser {
  answered(channel: Channel, answer: BackEndResponse): void;
  failed(channel: Channel, fault: ChannelFault, reason: string): void;
}

export class Channel {
  readonly number: number;
  /** When the running request was sent, or the last one answered: milliseconds, monotonic. */
  sinceMs = 0;
  /** Requests that it was given. */
  requests = 0;
  readonly #address: BackEndAddress;
  readonly #identLine: string;
  readonly #closed: (channel: Channel) => void;
  readonly #connectTimeoutMs: number;
  #socket: ByteSocket | null = null;
  #isConnected = false;
  #user: ChannelUser | null = null;
  #parser = new ResponseParser();
  #connectTimer: NodeJS.Timeout | null = null;

  /**
   * @param closed is told when the connection of an idle channel ends
   * @param connectTimeoutMs longest time to connect
   */
  constructor(
    number: number,
    address: BackEndAddress,
    identLine: string,
    closed: (channel: Channel) => void,
    connectTimeoutMs = CONNECT_TIMEOUT_MS,
    readonly opener: Opener = PLAIN,
  ) {
    this.number = number;
    this.#address = address;
    this.#identLine = identLine;
    this.#closed = closed;
    this.#connectTimeoutMs = connectTimeoutMs;
  }

  get isOpen(): boolean {
    return this.#socket !== null;
  }

  get state(): ChannelState {
    if (this.#socket === null) return "RESET";
    if (!this.#isConnected) return "IDENT";
    if (this.#user === null) return "READY";
    if (this.#parser.hasHead) return "RECV_CONTENT";
    if (this.#parser.isStarted) return "RECV_HEADERS";
    return this.#socket.writableLength > 0 ? "SEND" : "RECV_INITIAL";
  }

  /** Of the connection that is open. */
  get bytesSent(): number {
    return this.#socket?.bytesWritten ?? 0;
  }

  /** Of the connection that is open. */
  get bytesReceived(): number {
    return this.#socket?.bytesRead ?? 0;
  }

  /** Sends a request; `user` is told exactly once what becomes of it, never before this returns. */
  send(head: string, body: string | Uint8Array | null, user: ChannelUser): void {
    this.#user = user;
    this.requests++;
    this.sinceMs = performance.now();
    const socket = this.#socket ?? this.#open();
    if (body === null) socket.write(head, "latin1");
    else if (typeof body === "string") socket.write(head + body, "latin1");
    else {
      socket.cork();
      socket.write(head, "latin1");
      socket.write(body);
      socket.uncork();
    }
  }

  /** Ends the connection of an idle channel. */
  close(): void {
    this.#disconnect();
    this.#closed(this);
  }

  /** Ends the connection without a word to the one whose request is under way. */
  abort(): void {
    this.#user = null;
    this.#disconnect();
  }

  #stopConnecting(): void {
    if (this.#connectTimer !== null) clearTimeout(this.#connectTimer);
    this.#connectTimer = null;
  }

  #disconnect(): void {
    this.#stopConnecting();
    const socket = this.#socket;
    if (socket === null) return;
    this.#socket = null;
    socket.removeAllListeners();
    // An error may still be on its way.
    socket.on("error", () => {});
    socket.destroy();
  }

  #fail(fault: ChannelFault, reason: string): void {
    const user = this.#user;
    if (user === null) return this.close();
    this.#user = null;
    this.#disconnect();
    user.failed(this, fault, reason);
  }

  #open(): ByteSocket {
    const callback = (count: number, bytes: Uint8Array): boolean => {
      this.#receive((bytes as Buffer).subarray(0, count));
      return true;
    };
    const { opener } = this;
    const socket = opener.open(this.#address, { buffer: RECEIVED, callback });
    this.#socket = socket;
    this.#isConnected = false;
    this.#parser = new ResponseParser();
    this.#connectTimer = setTimeout(
      () => this.#lost("no connection in time"),
      this.#connectTimeoutMs,
    );
    socket.on(opener.connected, () => {
      this.#stopConnecting();
      this.#isConnected = true;
    });
    socket.on("refused", () => this.#fail("unconnected", "connection refused by the back-end"));
    socket.on("end", () => this.#lost("connection closed by the back-end"));
    socket.on("error", (error) => {
      const { code, message } = error;
      if (code === "EMFILE" || code === "ENFILE")
        this.#fail("no-descriptor", `out of file descriptors: ${message}`);
      else this.#lost(message, code === INVALID_FRAME || this.#parser.isStarted);
    });
    socket.write(this.#identLine, "latin1");
    return socket;
  }

  /** @param chunk overwritten once this has returned */
  #receive(chunk: Buffer): void {
    if (this.#user === null) return this.close();
    let answer: BackEndResponse | null;
    try {
      answer = this.#parser.feed(chunk);
    } catch (error) {
      if (!(error instanceof MalformedResponse)) throw error;
      return this.#fail("bad-answer", error.message);
    }
    if (answer === null) return;
    const user = this.#user;
    this.#user = null;
    this.sinceMs = performance.now();
    if (answer.isLast) this.#disconnect();
    user.answered(this, answer);
  }

  #lost(reason: string, isBad = this.#parser.isStarted): void {
    if (!this.#isConnected) this.#fail("unconnected", reason);
    else this.#fail(isBad ? "bad-answer" : "no-answer", reason);
  }
}
