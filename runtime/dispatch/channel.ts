// A connection to a back-end, or a stream of a trunk, that carries one request at a time. It sends
// the identity line, then speaks HTTP; it is opened by its first request and never reused after a
// fault.

import { CONNECT_TIMEOUT_MS } from "../base/limits.js";
import type { BackEndAddress } from "../settings/matrix-config.js";
import type { ByteSocket } from "../trunk/byte-socket.js";
import { INVALID_FRAME } from "../trunk/frames.js";
import { type Opener, PLAIN } from "./connector.js";
import { type BackEndResponse, MalformedResponse, ResponseParser } from "./response-parser.js";

/** Receive buffer shared by all channels, valid until the next bytes arrive: no allocation. */
const RECEIVED = Buffer.allocUnsafeSlow(64 * 1024);

/** Why a request has no response. */
export type ChannelFault =
  /** The back-end cannot have received the request. */
  | "unconnected"
  /** This process is out of file descriptors: not the back-end's fault. */
  | "no-descriptor"
  /** The connection closed before any byte of the response: the request may have been executed. */
  | "no-answer"
  /** The connection closed within the response, or the response is invalid. */
  | "bad-answer";

/** Channel states, by their names in the interface. */
export type ChannelState =
  | "RESET"
  | "READY"
  | "IDENT"
  | "SEND"
  | "RECV_INITIAL"
  | "RECV_HEADERS"
  | "RECV_CONTENT";

/** Receives the outcome of a request. */
export interface ChannelUser {
  onResponse(channel: Channel, response: BackEndResponse): void;
  onFailure(channel: Channel, fault: ChannelFault, reason: string): void;
}

export class Channel {
  readonly number: number;
  /** When the running request was sent, or the last response received: monotonic milliseconds. */
  sinceMs = 0;
  /** Number of requests sent on the channel. */
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
   * @param closed called when the connection of an idle channel closes
   * @param connectTimeoutMs maximum time to connect
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

  /** Bytes sent on the open connection. */
  get bytesSent(): number {
    return this.#socket?.bytesWritten ?? 0;
  }

  /** Bytes received on the open connection. */
  get bytesReceived(): number {
    return this.#socket?.bytesRead ?? 0;
  }

  /** Sends a request; `user` receives its outcome exactly once, never before this returns. */
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

  /** Closes an idle channel. */
  close(): void {
    this.#disconnect();
    this.#closed(this);
  }

  /** Closes the connection without notifying the user. */
  abort(): void {
    this.#user = null;
    this.#disconnect();
  }

  /** Ends a running request as if the connection had closed: the back-end is lost. */
  lose(reason: string): void {
    if (this.#user !== null) this.#lost(reason);
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
    // An error may still arrive.
    socket.on("error", () => {});
    socket.destroy();
  }

  #fail(fault: ChannelFault, reason: string): void {
    const user = this.#user;
    if (user === null) return this.close();
    this.#user = null;
    this.#disconnect();
    user.onFailure(this, fault, reason);
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
    this.#connectTimer = setTimeout(() => this.#lost("connect timeout"), this.#connectTimeoutMs);
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

  /** @param chunk overwritten after this returns */
  #receive(chunk: Buffer): void {
    if (this.#user === null) return this.close();
    let response: BackEndResponse | null;
    try {
      response = this.#parser.feed(chunk);
    } catch (error) {
      if (!(error instanceof MalformedResponse)) throw error;
      return this.#fail("bad-answer", error.message);
    }
    if (response === null) return;
    const user = this.#user;
    this.#user = null;
    this.sinceMs = performance.now();
    if (response.isLast) this.#disconnect();
    user.onResponse(this, response);
  }

  #lost(reason: string, isBad = this.#parser.isStarted): void {
    if (!this.#isConnected) this.#fail("unconnected", reason);
    else this.#fail(isBad ? "bad-answer" : "no-answer", reason);
  }
}
