// HTTP client for instances: keep-alive connections, limited time and response size. Validates
// responses.

import type { Agent, ClientRequest, IncomingMessage } from "node:http";
import type { RequestOptions } from "node:https";
import type { ConnectionOptions } from "node:tls";
import { SvcError } from "../base/errors.js";
import { http, https } from "../base/node-modules.js";
import { isPlainObject } from "../base/plain-object.js";
import type { TlsContextCache } from "./tls-context-cache.js";

const MAX_BYTES = 4 * 1024 * 1024;
const MAX_SOCKETS = 4;
/** Maximum characters of a response quoted in an error. */
export const MAX_QUOTED_CHARS = 1000;

const AGENT_OPTIONS = { keepAlive: true, maxSockets: MAX_SOCKETS, scheduling: "lifo" } as const;
/** Created with the first request. */
let plainAgent: Agent | null = null;
let tlsAgent: Agent | null = null;

export interface Address {
  readonly host: string;
  readonly port: number;
  /** Null: no TLS. */
  readonly secure?: TlsContextCache | null;
}

export interface InstanceRequest {
  readonly path: string;
  readonly timeoutMs: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as a POST. */
  readonly body?: string;
  /** Maximum response size; default: 4 MiB. */
  readonly maxBytes?: number;
}

/** The instance did not respond in time. It may still be running, and may execute the request. */
export class InstanceTimeoutError extends SvcError {}

export interface InstanceResponse {
  readonly status: number;
  readonly text: string;
}

/**
 * Sends a request and returns the response, whatever its status.
 * @throws SvcError SVC2701 without a response, InstanceTimeoutError without one in time
 */
export async function requestInstanceJson(
  address: Address,
  instanceRequest: InstanceRequest,
): Promise<InstanceResponse> {
  const { host, port, secure = null } = address;
  const { path, timeoutMs, headers = {}, body, maxBytes = MAX_BYTES } = instanceRequest;
  const method = body === undefined ? "GET" : "POST";
  const accept = { accept: "application/json" };
  const options = { host, port, path, method, headers: { ...accept, ...headers } };
  const tls = await secure?.options();
  return new Promise((resolve, reject) => {
    const fail = (reason: string, cause?: Error, type = SvcError): void => {
      clearTimeout(timer);
      request.destroy();
      reject(new type("SVC2701", `no response from ${host}:${port}: ${reason}`, { cause }));
    };
    const request = send(options, tls, (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > maxBytes) fail(`response exceeds ${maxBytes} bytes`);
        chunks.push(chunk);
      });
      response.on("error", (error) => fail(error.message));
      response.on("end", () => {
        clearTimeout(timer);
        const text = Buffer.concat(chunks).toString("utf8");
        resolve({ status: response.statusCode ?? 0, text });
      });
    });
    const expire = (): void => {
      fail(`timed out after ${timeoutMs} ms`, undefined, InstanceTimeoutError);
    };
    const timer = setTimeout(expire, timeoutMs);
    request.on("error", (error) => fail(error.message, error));
    request.end(body);
  });
}

function send(
  options: RequestOptions,
  tls: ConnectionOptions | undefined,
  onResponse: (response: IncomingMessage) => void,
): ClientRequest {
  if (tls === undefined) {
    plainAgent ??= unrefIdle(new (http().Agent)(AGENT_OPTIONS));
    return http().request({ ...options, agent: plainAgent }, onResponse);
  }
  tlsAgent ??= unrefIdle(new (https().Agent)(AGENT_OPTIONS));
  const all = { ...options, ...tls, agent: tlsAgent, minVersion: "TLSv1.2" } as const;
  return https().request(all, onResponse);
}

/** Prevents idle connections from keeping the process alive. */
function unrefIdle(agent: Agent): Agent {
  return agent.on("free", (socket) => socket.unref());
}

/**
 * Returns the `response` of an envelope.
 * @throws SvcError SVC2701 without one
 */
export async function requestInstance(
  address: Address,
  request: InstanceRequest,
): Promise<unknown> {
  return unwrapResponse(address, request.path, await requestInstanceJson(address, request));
}

/** @throws SvcError SVC2701 for a response that is not an envelope with a result */
export function unwrapResponse(
  { host, port }: Address,
  path: string,
  { status, text }: InstanceResponse,
): unknown {
  const envelope = parseEnvelope(text);
  if (envelope?.status === "OK") return envelope.response;
  const detail = envelope === null ? text.slice(0, 200) : formatMessage(envelope.message ?? status);
  throw new SvcError("SVC2701", `${host}:${port} answers ${path} with ${status}: ${detail}`);
}

function formatMessage(message: unknown): string {
  try {
    return JSON.stringify(message).slice(0, MAX_QUOTED_CHARS);
  } catch {
    return "a message that is nested too deeply";
  }
}

function parseEnvelope(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) ? value : null;
  } catch {
    return null;
  }
}
