// Responses without an envelope: status and header fields are available at once, the body when the
// caller reads it. The time limit applies to the head, then to each silence of the server.

import type { CallDeadline } from "./call-deadline.js";
import { decoded, describeCause, readText } from "./exchange.js";
import type { Operation } from "./operation.js";
import type { FetchReader, FetchResponse, HttpResponse, HttpResult } from "./options.js";
import { readMember, responseError } from "./response-error.js";
import { SvcError } from "./svc-error.js";

/** Maximum length of a body that is read at once. */
const MAX_BODY_BYTES = 512 * 1024 * 1024;
const FIRST_ERROR = 400;

/** @throws SvcError if the status is an error */
export async function readHttpResult(
  response: FetchResponse,
  operation: Operation,
  limit: CallDeadline,
): Promise<HttpResult> {
  const { status, headers, body } = response;
  const type = (headers.get("content-type") ?? "").split(";", 1)[0]!.trim().toLowerCase();
  // In browsers, redirects arrive without a status.
  if (!status || status >= FIRST_ERROR) {
    throw responseError(operation, status, decoded(await readText(response)));
  }
  const head = { status, type, headers };
  if (operation.http !== "mixed" || status !== 200 || type !== "application/json") {
    return { response: new ReceivedResponse(head, body?.getReader(), operation.path, limit) };
  }
  const text = await readText(response);
  const content = decoded(text);
  // A plugin's own JSON may resemble an envelope, but not with all of its members.
  if (ENVELOPE_MEMBERS.every((name) => readMember(content, name) !== undefined)) {
    return { response: null, value: readMember(content, "response") };
  }
  const reader = new Blob([text]).stream().getReader();
  return { response: new ReceivedResponse(head, reader, operation.path, limit) };
}

const ENVELOPE_MEMBERS = ["status", "response", "level", "partitions", "exec_ms"];

type ResponseHead = Pick<HttpResponse, "status" | "type" | "headers">;

class ReceivedResponse implements HttpResponse {
  declare readonly status: number;
  declare readonly type: string;
  declare readonly headers: FetchResponse["headers"];
  readonly #reader: FetchReader | undefined;
  readonly #path: string;
  readonly #limit: CallDeadline;
  #isRead = false;

  constructor(
    head: ResponseHead,
    reader: FetchReader | undefined,
    path: string,
    limit: CallDeadline,
  ) {
    Object.assign(this, head);
    this.#reader = reader;
    this.#path = path;
    this.#limit = limit;
  }

  async *stream(): AsyncGenerator<Uint8Array, void, undefined> {
    if (this.#isRead) throw new TypeError("the body of the response has been read");
    this.#isRead = true;
    try {
      for (;;) {
        this.#limit.restart();
        const { done, value } = (await this.#reader?.read()) ?? { done: true };
        this.#limit.suspend();
        if (done) return;
        if (value?.length) yield value;
      }
    } catch (cause) {
      this.#limit.check();
      const message = `${this.#path}: response interrupted: ${describeCause(cause)}`;
      throw new SvcError("network", message, { status: this.status, cause });
    } finally {
      this.cancel();
    }
  }

  async blob(): Promise<Blob> {
    const chunks: Uint8Array<ArrayBuffer>[] = [];
    let length = 0;
    for await (const chunk of this.stream()) {
      length += chunk.length;
      if (length > MAX_BODY_BYTES) {
        const message = `${this.#path}: response is too large: read it by \`stream\``;
        throw new SvcError("http", message, { status: this.status });
      }
      chunks.push(chunk as Uint8Array<ArrayBuffer>);
    }
    return new Blob(chunks, { type: this.type });
  }

  async bytes(): Promise<Uint8Array> {
    return new Uint8Array(await (await this.blob()).arrayBuffer());
  }

  async text(): Promise<string> {
    return (await this.blob()).text();
  }

  cancel(): void {
    this.#isRead = true;
    this.#limit.end();
    void this.#reader?.cancel();
  }
}
