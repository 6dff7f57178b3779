// One request and its answer, which becomes a `Response` as `fetch` gives it.

import { OWN_MEDIA_TYPE } from "../../runtime/http/statuses.js";
import type {
  ByteSource,
  CancellableSource,
  Connection,
  Exchange,
  Method,
  RequestHeaders,
} from "../../runtime/http/transport.js";
import type { Tallied } from "../../runtime/metrics/plugin-tallies.js";
import type { Trace } from "../../runtime/tracing/trace.js";

export interface MemoryHead {
  readonly method: Method;
  readonly target: string;
  readonly headers: RequestHeaders;
  readonly t0Ms: number;
}

export class MemoryExchange implements Exchange {
  readonly method: Method;
  readonly target: string;
  readonly headers: RequestHeaders;
  readonly t0Ms: number;
  tally: Tallied | null = null;
  trace: Trace | null = null;
  aborted = false;
  readonly answered: Promise<Response>;
  /** Of the answer, as far as they are known when it begins. */
  bytes = 0;
  #resolve: (response: Response) => void = () => {};
  #reject: (reason: unknown) => void = () => {};

  constructor(
    { method, target, headers, t0Ms }: MemoryHead,
    readonly body: string | Uint8Array | null,
    readonly connection: Connection,
  ) {
    this.method = method;
    this.target = target;
    this.headers = headers;
    this.t0Ms = t0Ms;
    this.answered = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // Whoever asks is told; nobody else needs to be.
    this.answered.catch(() => {});
  }

  /** Nobody waits for the answer any more. */
  abort(reason: unknown): void {
    this.aborted = true;
    this.#reject(reason);
  }

  answer(status: number, mediaType: string | null, body: string | Uint8Array, fields = ""): void {
    this.bytes = body.length;
    const bytes = typeof body === "string" ? Buffer.from(body, "latin1") : body;
    const isEmpty = body.length === 0 || this.method === "HEAD";
    const content = isEmpty ? null : new Uint8Array(bytes);
    this.#send(status, mediaType, content, fields, body.length);
  }

  answerStream(
    status: number,
    mediaType: string,
    byteLength: number,
    source: ByteSource,
    fields = "",
  ): void {
    this.bytes = byteLength;
    const content = this.method === "HEAD" ? null : streamOf(source, () => {});
    this.#send(status, mediaType, content, fields, byteLength);
  }

  answerChunked(status: number, mediaType: string, source: CancellableSource, fields = ""): void {
    const isWanted = !this.aborted && this.method !== "HEAD";
    if (!isWanted) source.cancel();
    const content = isWanted ? streamOf(source, () => source.cancel()) : null;
    this.#send(status, mediaType, content, fields, null);
  }

  #send(
    status: number,
    mediaType: string | null,
    content: Uint8Array<ArrayBuffer> | ReadableStream | null,
    fields: string,
    length: number | null,
  ): void {
    const headers = new Headers();
    for (const line of fields.split("\r\n").filter((text) => text !== "")) {
      const colon = line.indexOf(":");
      headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
    }
    if (mediaType !== null && mediaType !== OWN_MEDIA_TYPE) {
      headers.set("content-type", `${mediaType}; charset=UTF-8`);
    }
    if (length !== null && length > 0) headers.set("content-length", String(length));
    this.#resolve(new Response(content, { status, headers }));
  }
}

/** No more is read than is asked for. */
function streamOf(source: ByteSource, cancel: () => void): ReadableStream {
  async function* all(): AsyncGenerator<Uint8Array> {
    yield* source;
  }
  const pieces = all();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(new Uint8Array(value));
    },
    cancel() {
      cancel();
      void pieces.return(undefined);
    },
  });
}
