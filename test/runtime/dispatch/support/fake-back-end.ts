// A scripted back-end: collects the bytes of its connections and responds with arbitrary bytes when
// the test decides.

import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import type { BackEndAddress } from "../../../../runtime/settings/matrix-config.js";

const TIMEOUT_MS = 9000;

/** Waits until `condition` holds; fails after a time that correct code never needs. */
export async function until(condition: () => boolean, label: string): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`${label} did not come`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

/** The bytes of a response. */
export function responseText(status: number, body: string, ...fields: readonly string[]): string {
  const length = `Content-Length: ${Buffer.byteLength(body, "latin1")}`;
  return `${[`HTTP/1.1 ${status} X`, length, ...fields].join("\r\n")}\r\n\r\n${body}`;
}

/** A request as received; strings are latin1. */
export class FakeRequest {
  constructor(
    /** Identification of its connection; empty without one. */
    readonly identLine: string,
    readonly head: string,
    readonly body: string,
    readonly socket: Socket,
  ) {}

  get line(): string {
    return this.head.slice(0, this.head.indexOf("\r\n"));
  }

  respond(status: number, body: string, ...fields: readonly string[]): void {
    this.send(responseText(status, body, ...fields));
  }

  send(bytes: string): void {
    this.socket.write(bytes, "latin1");
  }
}

export class FakeBackEnd {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #port: number;
  /** Requests that no test has taken yet. */
  readonly requests: FakeRequest[] = [];
  /** Number of health checks received. */
  probes = 0;
  /** Response to health checks; empty for none. */
  health = responseText(200, "SVC/3");
  /** Connections accepted so far. */
  accepted = 0;

  private constructor(server: Server) {
    this.#server = server;
    this.#port = (server.address() as AddressInfo).port;
    server.on("connection", (socket) => this.#accept(socket));
  }

  /** @param port 0 for any free port */
  static async start(port = 0): Promise<FakeBackEnd> {
    const server = createServer({ noDelay: true }).listen(port, "127.0.0.1");
    await once(server, "listening");
    return new FakeBackEnd(server);
  }

  get address(): BackEndAddress {
    return { host: "127.0.0.1", port: this.#port };
  }

  /** Connections that are open now. */
  get open(): number {
    return this.#sockets.size;
  }

  /** The next request, received already or in the future. */
  async next(): Promise<FakeRequest> {
    await until(() => this.requests.length > 0, "request");
    return this.requests.shift()!;
  }

  /** Resets all connections. */
  reset(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #accept(socket: Socket): void {
    this.accepted++;
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket)).on("error", () => {});
    let received = "";
    let identLine = "";
    socket.setEncoding("latin1").on("data", (text: string) => {
      received += text;
      if (identLine === "" && received.startsWith("XSVCIDENT") && received.includes("\r\n")) {
        identLine = received.slice(0, received.indexOf("\r\n"));
        received = received.slice(identLine.length + 2);
      }
      for (;;) {
        const end = received.indexOf("\r\n\r\n") + 4;
        if (end < 4) return;
        const head = received.slice(0, end);
        const length = Number(/^content-length: (\d+)\r$/im.exec(head)?.[1] ?? 0);
        if (received.length < end + length) return;
        this.#receive(new FakeRequest(identLine, head, received.slice(end, end + length), socket));
        received = received.slice(end + length);
      }
    });
  }

  #receive(request: FakeRequest): void {
    if (!request.line.startsWith("GET /svc/hc ")) {
      this.requests.push(request);
      return;
    }
    this.probes++;
    request.send(this.health);
  }
}
