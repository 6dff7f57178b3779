// The server that receives recorded requests.

import { readFileSync } from "node:fs";
import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest, Agent as SecureAgent } from "node:https";
import { SvcError } from "../../runtime/base/errors.js";
import type { RecordedRequest } from "../../runtime/http/recorded-request.js";

const FIELD = /^([\w!#$%&'*+.^`|~-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*?)[ \t]*$/;
const TIMEOUT_MS = 60_000;
const FIRST_ERROR = 400;
/** Time limit of streams, which may be endless and are not compared. */
const STREAM_MS = 1_000;
/** Exceeds the recorded part of any response. */
const MAX_BYTES = 2 ** 28;

/** Response of the target. */
export interface Answer {
  readonly status: number;
  readonly mediaType: string | null;
  readonly body: Buffer;
  /**
   * Milliseconds from the first byte sent to the last byte received; for a stream, to the end of
   * the head.
   */
  readonly ms: number;
}

export class TargetServer {
  readonly #url: URL;
  readonly #agent: Agent;
  readonly #fields: Readonly<Record<string, string>>;

  /**
   * @param against its URL; a path in it is prepended to each path
   * @param fieldsFile header lines for each request
   * @throws SvcError SVC3321 for an invalid URL, SVC3322 for an invalid header file
   */
  constructor(against: string | undefined, connections: number, fieldsFile?: string) {
    this.#url = parseUrl(against);
    const options = { keepAlive: true, maxSockets: connections };
    this.#agent = this.#isSecure ? new SecureAgent(options) : new Agent(options);
    this.#fields = fieldsFile === undefined ? {} : readFields(fieldsFile);
  }

  get #isSecure(): boolean {
    return this.#url.protocol === "https:";
  }

  /** Rejects with the system's error if nothing listens. */
  send({ method, target, fields, body, ...before }: RecordedRequest): Promise<Answer> {
    const { hostname, port, pathname } = this.#url;
    const isCompared = before.bytes !== null || before.status >= FIRST_ERROR;
    const begun = performance.now();
    return new Promise((resolve, reject) => {
      const content = body === undefined ? undefined : Buffer.from(body, "base64");
      const sent = (this.#isSecure ? httpsRequest : httpRequest)({
        hostname: hostname.replace(/^\[(.*)\]$/, "$1"),
        port: port || undefined,
        method,
        path: pathname.replace(/\/+$/, "") + target,
        headers: { ...fields, ...this.#fields, "Accept-Encoding": "identity" },
        agent: this.#agent,
      });
      const timer = setTimeout(() => {
        reject(new Error(`no response within ${TIMEOUT_MS / 1000} s`));
        sent.destroy();
      }, TIMEOUT_MS);
      sent.on("close", () => clearTimeout(timer));
      const answered = async (message: IncomingMessage): Promise<Answer> => {
        const mediaType = message.headers["content-type"] ?? null;
        let ms = performance.now() - begun;
        const body = await (isCompared ? readAll(message) : readStart(message));
        if (isCompared) ms = performance.now() - begun;
        return { status: message.statusCode!, mediaType, body, ms };
      };
      sent.on("response", (message) => answered(message).then(resolve, reject));
      sent.on("error", reject);
      sent.end(content);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

async function readAll(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of message) {
    length += chunk.length;
    if (length > MAX_BYTES) throw new Error(`response exceeds ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Reads the body only as far as needed to compare the status. */
async function readStart(message: IncomingMessage): Promise<Buffer> {
  const timer = setTimeout(() => message.destroy(), STREAM_MS);
  const ended = new Promise((resolve) => message.on("close", resolve).on("error", () => {}));
  message.resume();
  await ended;
  clearTimeout(timer);
  return Buffer.alloc(0);
}

function parseUrl(against: string | undefined): URL {
  const url = against === undefined || !URL.canParse(against) ? null : new URL(against);
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  const shown = against === undefined ? "nothing" : JSON.stringify(against);
  throw new SvcError("SVC3321", `--against: expected a server URL, got ${shown}`);
}

function readFields(path: string): Record<string, string> {
  let content: string;
  try {
    content = readFileSync(path, "utf8");
  } catch (error) {
    const text = `${path} cannot be read: ${(error as Error).message}`;
    throw new SvcError("SVC3322", text, { cause: error });
  }
  const lines = content.split(/\r?\n/).filter((line) => line !== "");
  const entries = lines.map((line, at) => {
    const [, name, value] = FIELD.exec(line) ?? [];
    // The message omits the line, which may be a secret.
    if (name === undefined) throw new SvcError("SVC3322", `${path}:${at + 1}: invalid header line`);
    return [name, value!] as const;
  });
  return Object.fromEntries(entries);
}
