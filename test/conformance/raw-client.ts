// A client that sends raw bytes and parses the received ones response by response.

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls } from "node:tls";

export interface RawResponse {
  readonly status: number;
  /** Status line and header fields with CR LF, without the empty line. */
  readonly head: string;
  readonly body: string;
}

const TIMEOUT_MS = 20_000;

export class RawClient {
  /** All received bytes, latin1. */
  received = "";
  /** The server has closed or reset the connection. */
  isClosed = false;
  readonly socket: Socket;

  /** Length of the next response, as far as its head is known. */
  #minimumLength = 0;

  static readonly #clients = new Set<RawClient>();

  private constructor(socket: Socket) {
    this.socket = socket;
    RawClient.#clients.add(this);
    socket.on("data", (chunk: Buffer) => {
      this.received += chunk.toString("latin1");
    });
    socket.on("error", () => {});
    const closed = (): void => {
      this.isClosed = true;
    };
    socket.on("end", closed).on("close", closed);
  }

  /**
   * @param from local address that the server sees
   * @param tls encryption of the connection; null: none
   */
  static async open(
    port: number,
    host = "127.0.0.1",
    from = host,
    tls: ConnectionOptions | null = null,
  ): Promise<RawClient> {
    const options = { port, host, localAddress: from, allowHalfOpen: true, noDelay: true };
    if (tls === null) {
      const socket = connect(options);
      await once(socket, "connect");
      return new RawClient(socket);
    }
    const socket = connectTls({ ...options, ...tls });
    await once(socket, "secureConnect");
    return new RawClient(socket);
  }

  /** Closes every client that a test has opened. */
  static closeAll(): void {
    for (const client of RawClient.#clients) client.close();
    RawClient.#clients.clear();
  }

  send(bytes: string): void {
    this.socket.write(bytes, "latin1");
  }

  /** Waits until `condition` holds; fails after a time that a correct server never needs. */
  async until(condition: () => boolean, label: string): Promise<void> {
    const deadline = performance.now() + TIMEOUT_MS;
    while (!condition()) {
      if (performance.now() > deadline) {
        throw new Error(`${label} did not arrive; received ${JSON.stringify(this.received)}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  /** Takes the next responses from the received bytes. @param isHead whether one is to HEAD */
  async responses(
    count: number,
    isHead: (index: number) => boolean = () => false,
  ): Promise<RawResponse[]> {
    const responses: RawResponse[] = [];
    for (let index = 0; index < count; index++) {
      let response: RawResponse | null = null;
      await this.until(
        () => {
          response ??= this.#take(isHead(index));
          return response !== null;
        },
        `response ${index + 1} of ${count}`,
      );
      responses.push(response!);
    }
    return responses;
  }

  close(): void {
    this.socket.destroy();
  }

  #take(isHead: boolean): RawResponse | null {
    // Searching the end of a head joins all received chunks.
    if (this.received.length < this.#minimumLength) return null;
    const end = this.received.indexOf("\r\n\r\n");
    if (end < 0) return null;
    const head = this.received.slice(0, end + 2);
    const status = Number(head.slice(9, 12));
    const length = /\r\nContent-Length: (\d+)\r\n/i.exec(head)?.[1];
    const hasNone = isHead || status === 100;
    if (length === undefined && !hasNone && !this.isClosed) return null;
    const start = end + 4;
    const stop = hasNone ? start : start + Number(length ?? 0);
    this.#minimumLength = stop;
    if (this.received.length < stop) return null;
    this.#minimumLength = 0;
    const response = { status, head, body: this.received.slice(start, stop) };
    this.received = this.received.slice(stop);
    return response;
  }
}
