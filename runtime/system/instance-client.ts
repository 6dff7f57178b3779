// One question to one instance, over connections that are kept. Time and size are bounded, and what
// comes back is not believed to be anything before it was looked at.

import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from "node:http";
import { Agent as HttpsAgent, request as httpsRequest, type RequestOptions } from "node:https";
import type { ConnectionOptions } from "node:tls";
import { SvcError } from "../base/errors.js";
import { isPlainObject } from "../settings/rules.js";
import type { TlsContextCache } from "./tls-context-cache.js";

const MAX_BYTES = 4 * 1024 * 1024;
const MAX_SOCKETS = 4;
/** Of what an instance has said, where a failure is told. */
export const MAX_QUOTED_CHARS = 1000;

const KEPT = { keepAlive: true, maxSockets: MAX_SOCKETS, scheduling: "lifo" } as const;
const plain = new HttpAgent(KEPT);
const secured = new HttpsAgent(KEPT);
// Whoever has asked may end.
for (const agent of [plain, secured]) agent.on("free", (socket) => socket.unref());

export interface Address {
  readonly host: string;
  readonly port: number;
  /** Null: it speaks no TLS. */
  readonly secure?: TlsContextCache | null;
}

export interface InstanceRequest {
  readonly path: string;
  readonly timeoutMs: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Makes it a POST. */
  readonly body?: string;
  /** Of the answer; default: 4 MiB. */
  readonly maxBytes?: number;
}

export interface InstanceAnswer {
  readonly status: number;
  readonly text: string;
}

/**
 * Asks, and takes whatever status comes.
 * @throws SvcError SVC2701 without an answer in time
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
    const fail = (reason: string, cause?: Error): void => {
      clearTimeout(timer);
      asked.destroy();
      reject(new SvcError("SVC2701", `no answer from ${host}:${port}: ${reason}`, { cause }));
    };
    const asked = send(options, tls, (response) => {
      const pieces: Buffer[] = [];
      let bytes = 0;
      response.on("data", (piece: Buffer) => {
        bytes += piece.length;
        if (bytes > maxBytes) fail(`more than ${maxBytes} bytes`);
        pieces.push(piece);
      });
      response.on("error", (error) => fail(error.message));
      response.on("end", () => {
        clearTimeout(timer);
        const text = Buffer.concat(pieces).toString("utf8");
        resolve({ status: response.statusCode ?? 0, text });
      });
    });
    const timer = setTimeout(() => fail(`none within ${timeoutMs} ms`), timeoutMs);
    asked.on("error", (error) => fail(error.message, error));
    asked.end(body);
  });
}

function send(
  options: RequestOptions,
  tls: ConnectionOptions | undefined,
  take: (response: IncomingMessage) => void,
): ClientRequest {
  if (tls === undefined) return httpRequest({ ...options, agent: plain }, take);
  const whole = { ...options, ...tls, agent: secured, minVersion: "TLSv1.2" } as const;
  return httpsRequest(whole, take);
}

/**
 * The `response` of an envelope.
 * @throws SvcError SVC2701 without one
 */
export async function requestInstance(
  address: Address,
  question: InstanceRequest,
): Promise<unknown> {
  const { status, text } = await requestInstanceJson(address, question);
  const envelope = parsed(text);
  if (envelope?.status === "OK") return envelope.response;
  const { host, port } = address;
  const told = envelope === null ? text.slice(0, 200) : shown(envelope.message ?? status);
  throw new SvcError("SVC2701", `${host}:${port} answers ${question.path} with ${status}: ${told}`);
}

function shown(message: unknown): string {
  try {
    return JSON.stringify(message).slice(0, MAX_QUOTED_CHARS);
  } catch {
    return "a message that is nested too deep";
  }
}

function parsed(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) ? value : null;
  } catch {
    return null;
  }
}
