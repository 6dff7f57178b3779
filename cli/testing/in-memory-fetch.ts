// `fetch` over in-memory connections. The HTTP client of Node.js writes the requests, so the server
// parses every byte as from a socket.

import { type IncomingMessage, request as send } from "node:http";
import { Readable } from "node:stream";
import type { MessagePort } from "node:worker_threads";
import { createInMemoryConnect } from "./in-memory-transport.js";
import type { Fetch } from "./test-settings.js";

/** Base of relative paths. */
const BASE = "http://localhost";
/** Statuses of responses without a body. */
const EMPTY = new Set([204, 205, 304]);

/** @param connectPort returns the connect port of the server; throws without one */
export function createInMemoryFetch(connectPort: () => MessagePort): Fetch {
  return async (url, init) => {
    const request = requestOf(url, init);
    const open = connectPort();
    const { pathname, search, host } = new URL(request.url);
    const { method, signal } = request;
    const body = request.body === null ? null : Buffer.from(await request.arrayBuffer());
    if (signal.aborted) throw signal.reason;
    const headers = headersOf(request, host, body);
    return new Promise((resolve, reject) => {
      const sent = send({
        ...{ method, headers, path: pathname + search },
        createConnection: () => createInMemoryConnect(open).asSocket,
      });
      let answered: IncomingMessage | null = null;
      const gone = (): void => {
        reject(signal.reason);
        answered?.destroy(signal.reason as Error);
        sent.destroy();
      };
      signal.addEventListener("abort", gone, { once: true });
      sent.on("error", (error) => reject(new TypeError("fetch failed", { cause: error })));
      sent.on("response", (incoming) => {
        answered = incoming;
        incoming.on("close", () => signal.removeEventListener("abort", gone));
        resolve(responseOf(method, incoming));
      });
      sent.end(body ?? undefined);
    });
  };
}

function requestOf(url: string | URL | Request, init?: RequestInit): Request {
  const target = typeof url === "string" ? new URL(url, BASE) : url;
  const { duplex } = (init ?? {}) as { duplex?: unknown };
  const isStream = init?.body instanceof ReadableStream && duplex === undefined;
  return new Request(target, isStream ? ({ ...init, duplex: "half" } as RequestInit) : init);
}

function headersOf(request: Request, host: string, body: Buffer | null): Record<string, string> {
  const headers: Record<string, string> = { host };
  for (const [name, value] of request.headers) if (name !== "host") headers[name] = value;
  if (body !== null || request.method === "POST") {
    headers["content-length"] = String(body?.length ?? 0);
  }
  return headers;
}

function responseOf(method: string, incoming: IncomingMessage): Response {
  const status = incoming.statusCode!;
  const headers = new Headers();
  const { rawHeaders } = incoming;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
  }
  const isEmpty = method === "HEAD" || EMPTY.has(status);
  if (isEmpty) incoming.resume();
  const body = isEmpty ? null : (Readable.toWeb(incoming) as ReadableStream);
  return new Response(body, { status, statusText: incoming.statusMessage ?? "", headers });
}
