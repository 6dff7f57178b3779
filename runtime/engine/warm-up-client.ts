// HTTP client of the warm-up, with one connection to its own server. The client of Node.js would
// take most of the time, and V8 would compile its code instead of the server's.

import { connect, type Socket } from "node:net";

/** Outcome of a call: a status, or a streamed response; null: no response. */
export type Outcome = number | "a stream" | null;

const HEAD_END = "\r\n\r\n";
const STATUS_AT = "HTTP/1.1 ".length;
const LENGTH = /\r\nContent-Length: (\d+)/i;
const IS_CHUNKED = /\r\nTransfer-Encoding:/i;
const IS_LAST = /\r\nConnection: close/i;

export class WarmUpClient {
  readonly #host: string;
  readonly #port: number;
  /** Header lines of each request, with the empty line. */
  readonly #fields: string;
  /** Null until the next call. */
  #socket: Socket | null = null;
  #settle: ((outcome: Outcome) => void) | null = null;
  /** Received part of a head. */
  #head = "";
  #status = 0;
  /** Bytes of the body that have not arrived yet. */
  #missing = 0;

  constructor(host: string, port: number, fields: string) {
    this.#host = host;
    this.#port = port;
    this.#fields = `Host: ${host}:${port}\r\n${fields}\r\n`;
  }

  /** Sends a request; the previous one must have its outcome. */
  call(target: string): Promise<Outcome> {
    return new Promise((resolve) => {
      this.#settle = resolve;
      this.#socket ??= this.#connect();
      this.#socket.write(`GET ${target} HTTP/1.1\r\n${this.#fields}`);
    });
  }

  /** Closes the connection; the next call opens another. */
  close(): void {
    this.#socket?.destroy();
    this.#closed();
  }

  #connect(): Socket {
    const socket = connect({ host: this.#host, port: this.#port, noDelay: true });
    socket.setEncoding("latin1");
    socket.on("data", (text: string) => this.#receive(text));
    // It also emits `close`.
    socket.on("error", () => {});
    socket.on("close", () => {
      if (this.#socket === socket) this.#closed();
    });
    return socket;
  }

  #closed(): void {
    this.#socket = null;
    this.#head = "";
    this.#status = 0;
    this.#end(null);
  }

  #receive(text: string): void {
    if (this.#status !== 0) return this.#body(text.length);
    this.#head += text;
    const end = this.#head.indexOf(HEAD_END);
    if (end < 0) return;
    const head = this.#head.slice(0, end);
    const received = this.#head.length - end - HEAD_END.length;
    this.#head = "";
    const length = LENGTH.exec(head)?.[1];
    const status = Number(head.slice(STATUS_AT, STATUS_AT + 3));
    if (length === undefined || IS_LAST.test(head)) {
      // Not read: it ends with its connection.
      this.#end(IS_CHUNKED.test(head) ? "a stream" : status);
      return this.close();
    }
    this.#status = status;
    this.#missing = Number(length);
    this.#body(received);
  }

  #body(bytes: number): void {
    this.#missing -= bytes;
    if (this.#missing > 0) return;
    const status = this.#status;
    this.#status = 0;
    this.#end(status);
  }

  #end(outcome: Outcome): void {
    const settle = this.#settle;
    this.#settle = null;
    settle?.(outcome);
  }
}
