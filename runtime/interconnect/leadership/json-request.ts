// A request with an answer in JSON to a service outside, with limits.

import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";

export interface JsonRequest {
  /** Default: POST. */
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Undefined: none. */
  readonly body?: object | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Certificates of authorities in PEM; undefined: the known ones. */
  readonly ca?: string | undefined;
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

export interface JsonAnswer {
  readonly status: number;
  readonly json: Readonly<Record<string, unknown>>;
}

/** @throws Error if there is no complete answer in time */
export function requestJson(url: string, given: JsonRequest): Promise<JsonAnswer> {
  const { method = "POST", body, ca, timeoutMs, maxBytes } = given;
  const text = body === undefined ? "" : JSON.stringify(body);
  // Node.js sends no length by itself with a DELETE, so that its body would be lost.
  const length = { "Content-Length": Buffer.byteLength(text) };
  const headers = { "Content-Type": "application/json", ...length, ...given.headers };
  const signal = AbortSignal.timeout(timeoutMs);
  const options = { method, headers, signal, ...(ca !== undefined && { ca }) };
  const send = url.startsWith("https:") ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const request = send(url, options, (response) => {
      const chunks: Buffer[] = [];
      let length = 0;
      response.on("data", (chunk: Buffer) => {
        length += chunk.length;
        if (length > maxBytes) response.destroy(new Error("the answer is too long"));
        else chunks.push(chunk);
      });
      response.on("error", reject);
      response.on("end", () => {
        try {
          const json: unknown = JSON.parse(Buffer.concat(chunks).toString());
          const isObject = typeof json === "object" && json !== null && !Array.isArray(json);
          const status = response.statusCode ?? 0;
          resolve({ status, json: isObject ? (json as JsonAnswer["json"]) : {} });
        } catch {
          reject(new Error(`the answer of ${url} is not JSON`));
        }
      });
    });
    request.on("error", reject);
    request.end(text);
  });
}
