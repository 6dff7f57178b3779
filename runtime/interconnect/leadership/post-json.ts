// A POST of JSON to a service outside, with limits.

import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";

export interface JsonRequest {
  readonly body: object;
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

export interface JsonAnswer {
  readonly status: number;
  readonly json: Readonly<Record<string, unknown>>;
}

/** @throws Error if there is no complete answer in time */
export function postJson(url: string, given: JsonRequest): Promise<JsonAnswer> {
  const { body, timeoutMs, maxBytes } = given;
  const headers = { "Content-Type": "application/json" };
  const options = { method: "POST", headers, signal: AbortSignal.timeout(timeoutMs) };
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
    request.end(JSON.stringify(body));
  });
}
