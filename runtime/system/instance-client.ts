// HTTP client for instances, over keep-alive connections, with bounded time and size; responses are
// validated.

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

const KEPT = { keepAlive: true, maxSockets: MAX_SOCKETS, scheduling: "lifo" } as const;
/** Null: not used yet. */
let plain: Agent | null = null;
let secured: Agent | null = null;

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

/** The instance did not respond in time: it may be alive. */
export class InstanceTimeoutError extends SvcError {}

export interface InstanceAnswer {
  readonly status: number;
  readonly text: string;
}

/**
 * Sends a request and returns the response of any status.
 * @throws SvcError SVC2701 without a response, InstanceTimeoutError without one in time
 */
export async function requestInstanceJson(
  address: Address,
  question: InstanceRequest,
): Promise<InstanceAnswer> {
  const { host, port, secure = null } = address;
  const { path, timeoutMs, headers = {}, body, maxBytes = MAX_BYTES } = question;
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
  take: (response: IncomingMessage) => void,
): ClientRequest {
  if (tls === undefined) {
    plain ??= unrefIdle(new (http().Agent)(KEPT));
    return http().request({ ...options, agent: plain }, take);
  }
  secured ??= unrefIdle(new (https().Agent)(KEPT));
  const all = { ...options, ...tls, agent: secured, minVersion: "TLSv1.2" } as const;
  return https().request(all, take);
}

/** Idle connections then do not keep the process alive. */
function unrefIdle(agent: Agent): Agent {
  return agent.on("free", (socket) => socket.unref());
}

/**
 * Returns the `response` of an envelope.
 * @throws SvcError SVC2701 without one
 */
export async function requestInstance(
  address: Address,
  question: InstanceRequest,
): Promise<unknown> {
  return unwrapAnswer(address, question.path, await requestInstanceJson(address, question));
}

/** @throws SvcError SVC2701 for a response that is not an envelope with a result */
export function unwrapAnswer(
  { host, port }: Address,
  path: string,
  { status, text }: InstanceAnswer,
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
    return "a message that is nested too deep";
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
