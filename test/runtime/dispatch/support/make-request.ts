// Requests for the matrix with the defaults of a plain query.

import type { ForwardedRequest } from "../../../../runtime/dispatch/forwarded-request.js";

export interface RequestOptions {
  readonly method?: "GET" | "POST";
  readonly body?: string | Uint8Array;
  readonly isPrimary?: boolean;
  readonly affinity?: number;
  readonly target?: bigint;
  readonly key?: string;
  readonly isRelayed?: boolean;
  readonly isKeyed?: boolean;
}

export function makeRequest(path: string, options: RequestOptions = {}): ForwardedRequest {
  const { method = "GET", body = null, isPrimary = false, affinity = -1, target = null } = options;
  const length = body === null ? "" : `Content-Length: ${body.length}\r\n`;
  return {
    method,
    path,
    head: `${method} ${path} HTTP/1.1\r\nHost: x\r\n${length}\r\n`,
    body,
    preference: { isPrimary, affinity },
    target,
    key: options.key ?? null,
    isRelayed: options.isRelayed ?? false,
    isKeyed: options.isKeyed ?? false,
  };
}
