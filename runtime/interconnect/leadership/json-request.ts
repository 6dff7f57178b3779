// HTTP request to an external service that responds with JSON, with a timeout and a size limit.

import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";

export interface JsonRequest {
  /** Default: POST. */
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Sent as JSON; undefined: no body. */
  readonly body?: object | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Trusted certificate authorities in PEM; undefined: those of Node.js. */
  readonly ca?: string | undefined;
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

export interface JsonResponse {
  readonly status: number;
  readonly json: Readonly<Record<string, unknown>>;
}

/**
 * Resolves with an empty object if the JSON in the response is not an object.
 * @throws Error if the response is late, too long or not JSON
 */
export function requestJson(url: string, query: JsonRequest): Promise<JsonResponse> {
  const { method = "POST", body, ca, timeoutMs, maxBytes } = query;
  const text = body === undefined ? "" : JSON.stringify(body);
  // Node.js omits the length of a DELETE, and servers would then ignore the body.
  const length = { "Content-Length": Buffer.byteLength(text) };
  const headers = { "Content-Type": "application/json", ...length, ...query.headers };
  const signal = AbortSignal.timeout(timeoutMs);
  const options = { method, headers, signal, ca };
  const send = url.startsWith("https:") ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const request = send(url, options, (response) => {
      const chunks: Buffer[] = [];
      let received = 0;
      response.on("data", (chunk: Buffer) => {
        received += chunk.length;
        if (received > maxBytes)
          response.destroy(new Error(`response longer than ${maxBytes} bytes`));
        else chunks.push(chunk);
      });
      response.on("error", reject);
      response.on("end", () => {
        try {
          const json: unknown = JSON.parse(Buffer.concat(chunks).toString());
          const isObject = typeof json === "object" && json !== null && !Array.isArray(json);
          const status = response.statusCode!;
          resolve({ status, json: isObject ? (json as JsonResponse["json"]) : {} });
        } catch {
          reject(new Error(`response of ${url} is not JSON`));
        }
      });
    });
    request.on("error", reject);
    request.end(text);
  });
}
