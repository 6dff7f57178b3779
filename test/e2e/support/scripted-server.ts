// A server with scripted responses, request by request, including faults of any kind.

import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Responds to one request, or not. */
export type Step = (response: ServerResponse, request: Received) => void;

export class ScriptedServer {
  readonly #server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("error", () => {});
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const received = { method, url, headers, body: Buffer.concat(chunks).toString() };
      this.received.push(received);
      const step = this.#steps.length > 1 ? this.#steps.shift() : this.#steps[0];
      step?.(response, received);
      this.#arrived?.();
    });
  });
  #steps: Step[] = [];
  #arrived: (() => void) | null = null;
  /** Since the script was set. */
  received: Received[] = [];

  static async start(): Promise<ScriptedServer> {
    const server = new ScriptedServer();
    await once(server.#server.listen(0, "127.0.0.1"), "listening");
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Responses to the next requests; the last one is repeated. */
  script(...steps: Step[]): void {
    this.#steps = steps;
    this.received = [];
  }

  /** Resolves when the next request has arrived. */
  arrival(): Promise<void> {
    return new Promise((resolve) => {
      this.#arrived = resolve;
    });
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await once(this.#server.close(), "close");
  }
}

/** Any body, on a kept-alive connection. */
export function respond(status: number, body: string, headers: Record<string, string> = {}): Step {
  return (response) => response.writeHead(status, headers).end(body);
}

export function ok(value: unknown, headers: Record<string, string> = {}): Step {
  const envelope = { status: "OK", response: value, level: 0, partitions: null, exec_ms: 0.25 };
  return respond(200, JSON.stringify(envelope), headers);
}

export function failure(status: number, message: unknown): Step {
  const envelope = { status: "ERROR", message, level: 0, partitions: null, exec_ms: 0.25 };
  return respond(status, JSON.stringify(envelope));
}

/** Resets the connection after n bytes of the response. */
export function reset(bytes = ""): Step {
  return ({ socket }) => breakOff(socket!, bytes, () => socket!.resetAndDestroy());
}

/** Closes the connection after n bytes of the response. */
export function cut(bytes: string): Step {
  return ({ socket }) => breakOff(socket!, bytes, () => socket!.end());
}

/** The request is read and never answered. */
export const silence: Step = () => {};

function breakOff(socket: Socket, bytes: string, end: () => void): void {
  if (bytes === "") end();
  // Unsent data is lost when a connection is reset.
  else socket.write(bytes, () => setTimeout(end, 20));
}
