// A minimal HTTP server for dispatchers in a virtual network. It handles the requests of a
// connection one at a time.

import { createServer, type Socket } from "node:net";

export interface FrontRequest {
  readonly path: string;
  /** Follows the path after a question mark. */
  readonly id: string;
  readonly isKeyed: boolean;
}

export interface FrontResponse {
  readonly status: number;
  readonly body: string;
  readonly fields?: readonly string[];
}

const REQUEST = /^(?:GET|POST) (\/[\w/]+)(?:\?(\w+))? HTTP/;

/** Listens in the simulated process that calls it. */
export function serveFront(
  port: number,
  respond: (request: FrontRequest) => Promise<FrontResponse>,
): void {
  createServer((socket) => serveSocket(socket, respond)).listen({ port });
}

function serveSocket(
  socket: Socket,
  respond: (request: FrontRequest) => Promise<FrontResponse>,
): void {
  let received = "";
  const serve = async (head: string): Promise<void> => {
    const [, path = "", id = ""] = REQUEST.exec(head) ?? [];
    const isKeyed = head.includes("\r\nIdempotency-Key: ");
    const { status, body, fields = [] } = await respond({ path, id, isKeyed });
    const lines = [`HTTP/1.1 ${status} X`, `Content-Length: ${body.length}`, ...fields];
    if (!socket.destroyed) socket.write(`${lines.join("\r\n")}\r\n\r\n${body}`);
  };
  socket.on("error", () => socket.destroy());
  socket.on("data", (bytes: Buffer) => {
    received += bytes.toString("latin1");
    if (received.startsWith("XSVCIDENT")) {
      const end = received.indexOf("\r\n");
      if (end < 0) return;
      received = received.slice(end + 2);
    }
    const end = received.indexOf("\r\n\r\n") + 4;
    if (end < 4) return;
    const head = received.slice(0, end);
    received = received.slice(end);
    void serve(head);
  });
}
