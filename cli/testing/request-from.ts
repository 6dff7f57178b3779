// What was given to `fetch`, as the lines that a client would have sent.

import type { MemoryRequest } from "./memory-transport.js";

/** Where relative paths are. */
const BASE = "http://localhost";

export async function requestFrom(
  url: string | URL | Request,
  init?: RequestInit,
): Promise<MemoryRequest> {
  const asked = typeof url === "string" ? new URL(url, BASE) : url;
  const { duplex } = (init ?? {}) as { duplex?: unknown };
  const isStream = init?.body instanceof ReadableStream && duplex === undefined;
  const request = new Request(
    asked,
    isStream ? ({ ...init, duplex: "half" } as RequestInit) : init,
  );
  const { host, pathname, search } = new URL(request.url);
  const hasBody = request.body !== null || request.method === "POST";
  const body = hasBody ? new Uint8Array(await request.arrayBuffer()) : null;
  let fields = `Host: ${host}\r\n`;
  for (const [name, value] of request.headers) {
    if (name !== "host" && name !== "content-length") fields += `${name}: ${value}\r\n`;
  }
  if (body !== null) fields += `Content-Length: ${body.length}\r\n`;
  const { method, signal } = request;
  return { method, target: pathname + search, fields, body, signal };
}
