// Fault-injecting proxy between a dispatcher and a back-end. Its address stays while the back-end
// behind it restarts. OLD_BACK_ENDS=1 makes all of them speak HTTP.

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { FRAME, FrameReader, frameHeader, TRUNK_LINE } from "../../../runtime/trunk/frames.js";

export type Fault =
  | "none"
  /** Connections are reset on arrival. */
  | "refuse"
  /** All data is discarded. */
  | "hang"
  /** Health checks are answered, requests are discarded. */
  | "zombie"
  /** It is overloaded. */
  | "busy"
  /** Requests arrive; responses are replaced by invalid bytes. */
  | "garbage"
  /** Requests arrive; the connection is reset on the response. */
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
  /** Requests that were refused because of overload. */
  refusedRequests = 0;
  /** Delay of every chunk of data. */
  delayMs = 0;
  /** Hides that the back-end accepts trunks, like older versions. */
  isOld = process.env.OLD_BACK_ENDS === "1";
  /** Bytes from back-ends since the last bytes of a dispatcher. */
  #response: Buffer[] = [];

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

  /** Open connections from the dispatcher. */
  get open(): number {
    return this.#clients.size;
  }

  /** The last response that passed. */
  get lastResponse(): Buffer {
    const bytes = afterTrunkLine(Buffer.concat(this.#response));
    const contents: Buffer[] = [];
    const data = (_id: number, content: Buffer): boolean => contents.push(content) > 0;
    const isFramed = new FrameReader({ data, onEnd: () => true }).feed(bytes);
    return isFramed ? Buffer.concat(contents) : bytes;
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
      this.#response = [];
      if (this.fault === "busy") this.refusedRequests += refuse(client, chunk);
      else if (this.fault === "zombie" && !chunk.toString("latin1").startsWith(PROBE)) return;
      else this.#pass(chunk, backEnd);
    });
    backEnd.on("data", (received) => {
      const chunk = this.isOld ? withoutTrunk(received) : received;
      this.#response.push(chunk);
      if (this.fault === "garbage") spoil(client, chunk);
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

/** A health check response, which comes in one chunk, as of an older version. */
function withoutTrunk(response: Buffer): Buffer {
  return Buffer.from(response.toString("latin1").replace("X-SVC-Trunk: 1\r\n", ""), "latin1");
}

/** Responds to each chunk: dispatchers send a request in one. Returns their number. */
function refuse(client: Socket, chunk: Buffer): number {
  let count = 0;
  const data = (id: number): boolean => {
    count++;
    return client.write(frameHeader(id, FRAME.data, BUSY.length) + BUSY, "latin1");
  };
  const frames = afterTrunkLine(chunk);
  if (frames !== chunk) client.write(TRUNK_LINE);
  if (new FrameReader({ data, onEnd: () => true }).feed(frames)) return count;
  client.write(BUSY);
  return 1;
}

/** Accepting a trunk is not a response. */
function spoil(client: Socket, chunk: Buffer): void {
  const response = afterTrunkLine(chunk);
  if (response !== chunk) client.write(TRUNK_LINE);
  if (response.length > 0) client.write(GARBAGE, "latin1");
}

/** Bytes after the line that begins a trunk; the same without one. */
function afterTrunkLine(bytes: Buffer): Buffer {
  const isFirst = bytes.toString("latin1", 0, TRUNK_LINE.length) === TRUNK_LINE;
  return isFirst ? bytes.subarray(TRUNK_LINE.length) : bytes;
}

/** Node loses the handle of a socket that is reset after its end was sent. */
function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
