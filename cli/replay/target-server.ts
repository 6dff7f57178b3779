// The server that recorded requests are sent to.

import { readFileSync } from "node:fs";
import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest, Agent as SecureAgent } from "node:https";
import { SvcError } from "../../runtime/base/errors.js";
import type { RecordedRequest } from "../../runtime/http/recorded-request.js";

const FIELD = /^([\w!#$%&'*+.^`|~-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*?)[ \t]*$/;
const TIMEOUT_MS = 60_000;

/** What came back. */
export interface Answer {
  readonly status: number;
  readonly mediaType: string | null;
  readonly body: Buffer;
  /** Milliseconds from the first byte sent to the last one received. */
  readonly ms: number;
}

export class TargetServer {
  readonly #url: URL;
  readonly #agent: Agent;
  readonly #fields: Readonly<Record<string, string>>;

  /**
   * @param against its URL; what stands behind the host is put before each path
   * @param fieldsFile with header lines that each request gets
   * @throws SvcError SVC3321 for what is no URL, SVC3322 for a file without header lines
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

  /** Rejects with the system's error when nobody answers. */
  send({ method, target, fields, body }: RecordedRequest): Promise<Answer> {
    const { hostname, port, pathname } = this.#url;
    const begun = performance.now();
    return new Promise((resolve, reject) => {
      const sent = (this.#isSecure ? httpsRequest : httpRequest)({
        hostname: hostname.replace(/^\[(.*)\]$/, "$1"),
        port: port || undefined,
        method,
        path: pathname.replace(/\/+$/, "") + target,
        headers: { ...fields, ...this.#fields, "Accept-Encoding": "identity" },
        agent: this.#agent,
        timeout: TIMEOUT_MS,
      });
      const answered = async (message: IncomingMessage): Promise<Answer> => {
        const chunks: Buffer[] = [];
        for await (const chunk of message) chunks.push(chunk);
        const mediaType = message.headers["content-type"] ?? null;
        const ms = performance.now() - begun;
        return { status: message.statusCode!, mediaType, body: Buffer.concat(chunks), ms };
      };
      sent.on("response", (message) => answered(message).then(resolve, reject));
      sent.on("timeout", () => sent.destroy(new Error(`no answer in ${TIMEOUT_MS / 1000} s`)));
      sent.on("error", reject);
      sent.end(body === undefined ? undefined : Buffer.from(body, "base64"));
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

function parseUrl(against: string | undefined): URL {
  const url = against === undefined || !URL.canParse(against) ? null : new URL(against);
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  const given = against === undefined ? "nothing" : JSON.stringify(against);
  throw new SvcError("SVC3321", `--against must be the URL of a server, got ${given}`);
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
    // The line itself may be a secret.
    if (name === undefined) throw new SvcError("SVC3322", `${path}:${at + 1} is no header line`);
    return [name, value!] as const;
  });
  return Object.fromEntries(entries);
}
