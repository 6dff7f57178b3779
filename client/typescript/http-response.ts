// Responses without an envelope: status and header fields at once, the body when the caller reads
// it. The time limit applies to the head, then to each silence of the server while it is read.

import type { CallDeadline } from "./call-deadline.js";
import { decoded, describeCause, readText } from "./exchange.js";
import type { Operation } from "./operation.js";
import type { FetchAnswer, FetchReader, HttpResponse } from "./options.js";
import { readMember, responseError } from "./response-error.js";
import { SvcError } from "./svc-error.js";

/** Of a body that is read as a whole. */
const MAX_BODY_BYTES = 512 * 1024 * 1024;
const FIRST_ERROR = 400;
const JSON_TYPE = "application/json";

/** An HttpResponse, or the value of an envelope. */
export type HttpResult =
  | { readonly response: HttpResponse }
  | { readonly response: null; readonly value: unknown };

/** @throws SvcError for an error status */
export async function readHttpResult(
  answer: FetchAnswer,
  operation: Operation,
  limit: CallDeadline,
): Promise<HttpResult> {
  const { status, headers } = answer;
  const type = (headers.get("content-type") ?? "").split(";", 1)[0]!.trim().toLowerCase();
  // Pages receive redirects without a status.
  if (status === 0 || status >= FIRST_ERROR) {
    throw responseError(operation, status, decoded(await readText(answer)));
  }
  const reader = answer.body?.getReader() ?? null;
  const response = new ReceivedResponse(status, type, headers, reader, operation.path, limit);
  if (operation.http !== "mixed" || status !== 200 || type !== JSON_TYPE) return { response };
  // JSON of the plugin's own may resemble an envelope, but not with these members.
  const bytes = await response.bytes();
  const content = decoded(new TextDecoder().decode(bytes));
  const isEnvelope = readMember(content, "status") === "OK" && hasMembers(content);
  if (isEnvelope) return { response: null, value: readMember(content, "response") };
  const again = readerOf(bytes);
  return { response: new ReceivedResponse(status, type, headers, again, operation.path, limit) };
}

const ENVELOPE_MEMBERS = ["response", "level", "partitions", "exec_ms"];

function hasMembers(content: unknown): boolean {
  return ENVELOPE_MEMBERS.every((name) => readMember(content, name) !== undefined);
}

function readerOf(bytes: Uint8Array): FetchReader {
  const chunks = [bytes];
  return {
    read: async () => ({ done: chunks.length === 0, value: chunks.shift() }),
    cancel: async () => {},
  };
}

class ReceivedResponse implements HttpResponse {
  readonly status: number;
  readonly type: string;
  readonly headers: FetchAnswer["headers"];
  readonly #reader: FetchReader | null;
  readonly #path: string;
  readonly #limit: CallDeadline;
  #isRead = false;

  constructor(
    status: number,
    type: string,
    headers: FetchAnswer["headers"],
    reader: FetchReader | null,
    path: string,
    limit: CallDeadline,
  ) {
    [this.status, this.type, this.headers] = [status, type, headers];
    [this.#reader, this.#path, this.#limit] = [reader, path, limit];
  }

  async *stream(): AsyncGenerator<Uint8Array, void, undefined> {
    if (this.#isRead) throw new TypeError("the body of the response has been read");
    this.#isRead = true;
    if (this.#reader === null) return;
    this.#limit.restart();
    try {
      for (;;) {
        const { done, value } = await this.#next(this.#reader);
        if (done) return;
        this.#limit.restart();
        if (value !== undefined && value.length > 0) yield value;
      }
    } finally {
      this.#end(this.#reader);
    }
  }

  async #next(reader: FetchReader) {
    try {
      return await reader.read();
    } catch (cause) {
      this.#limit.check(undefined);
      const message = `${this.#path}: response interrupted: ${describeCause(cause)}`;
      throw new SvcError("network", message, { status: this.status, cause });
    }
  }

  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of this.stream()) {
      length += chunk.length;
      if (length > MAX_BODY_BYTES) {
        const message = `${this.#path}: response is too large: read it by \`stream\``;
        throw new SvcError("http", message, { status: this.status });
      }
      chunks.push(chunk);
    }
    const bytes = new Uint8Array(length);
    let at = 0;
    for (const chunk of chunks) {
      bytes.set(chunk, at);
      at += chunk.length;
    }
    return bytes;
  }

  async blob(): Promise<Blob> {
    return new Blob([await this.bytes()], { type: this.type });
  }

  async text(): Promise<string> {
    return new TextDecoder().decode(await this.bytes());
  }

  cancel(): void {
    this.#isRead = true;
    if (this.#reader !== null) this.#end(this.#reader);
  }

  #end(reader: FetchReader): void {
    this.#limit.end();
    reader.cancel().catch(() => {});
  }
}
