// Stands between a dispatcher and a back-end and lets a test spoil their conversation. Its address
// stays while the back-end behind it comes and goes.

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

export type Fault =
  | "none"
  /** Connections are reset as they come. */
  | "refuse"
  /** What is sent goes nowhere. */
  | "hang"
  /** Questions about its health are answered, requests go nowhere. */
  | "zombie"
  /** It has too much to do. */
  | "busy"
  /** Requests arrive; answers are replaced by bytes that are none. */
  | "garbage"
  /** Requests arrive; the connection is reset when the answer comes. */
  | "reset";

const BUSY = "HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n\r\n";
const PROBE = "GET /svc/hc ";
const GARBAGE = "\0\xff not an answer \r\n\r\n".repeat(10);

export class FaultProxy {
  readonly #server: Server;
  readonly #clients = new Set<Socket>();
  readonly #backEnds = new Set<Socket>();
  /** Main port of the back-end, 0 while there is none. */
  target: number;
  fault: Fault = "none";
  /** Every piece of data takes this long on its way. */
  delayMs = 0;
  /** What back-ends have sent since a dispatcher last sent anything. */
  #answer: Buffer[] = [];

  private constructor(server: Server, target: number) {
    this.#server = server;
    this.target = target;
    server.on("connection", (client) => this.#accept(client));
  }

  static async start(target = 0): Promise<FaultProxy> {
    const server = createServer({ noDelay: true }).listen(0, "127.0.0.1");
    await once(server, "listening");
    return new FaultProxy(server, target);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Connections from the dispatcher that are open. */
  get open(): number {
    return this.#clients.size;
  }

  /** The last answer that passed. */
  get lastAnswer(): Buffer {
    return Buffer.concat(this.#answer);
  }

  /** Resets every connection. */
  cut(): void {
    for (const client of this.#clients) reset(client);
  }

  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.cut();
    await closed;
    while (this.#backEnds.size > 0) await new Promise((resolve) => setTimeout(resolve, 1));
  }

  #accept(client: Socket): void {
    client.on("error", () => {});
    if (this.fault === "refuse" || this.target === 0) {
      client.resetAndDestroy();
      return;
    }
    this.#clients.add(client);
    const backEnd = connect({ port: this.target, host: "127.0.0.1", noDelay: true });
    this.#backEnds.add(backEnd);
    backEnd.on("error", () => {});
    client.on("data", (chunk) => {
      this.#answer = [];
      if (this.fault === "busy") client.write(BUSY);
      else if (this.fault === "zombie" && !chunk.toString("latin1").startsWith(PROBE)) return;
      else this.#pass(chunk, backEnd);
    });
    backEnd.on("data", (chunk) => {
      this.#answer.push(chunk);
      if (this.fault === "garbage") client.write(GARBAGE, "latin1");
      else if (this.fault === "reset") reset(client);
      else this.#pass(chunk, client);
    });
    client.on("end", () => backEnd.end());
    backEnd.on("end", () => client.end());
    client.on("close", () => {
      this.#clients.delete(client);
      backEnd.destroy();
    });
    backEnd.on("close", (isReset) => {
      this.#backEnds.delete(backEnd);
      if (isReset) reset(client);
      else client.end();
    });
  }

  #pass(chunk: Buffer, to: Socket): void {
    if (this.fault === "hang") return;
    if (this.delayMs > 0) setTimeout(() => to.write(chunk), this.delayMs);
    else to.write(chunk);
  }
}

/** Node loses the handle of a socket that is reset after its end was sent. */
function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
