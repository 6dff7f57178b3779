// Sends spans to a collector in batches. Requests never wait for it: spans are buffered up to a
// limit, at most one POST is in flight, and spans that the collector does not accept are dropped. A
// failing collector is logged once and retried with backoff.

import { log } from "../log.js";
import { http, https } from "../node-modules.js";
import { type Span, tracesText } from "./otlp.js";

const MAX_SPANS = 2048;
/** Size of a batch. */
const BATCH_SPANS = 512;
const BATCH_EVERY_MS = 1000;
const DEFAULT_TIMEOUT_MS = 5000;
const FIRST_REST_MS = 5000;
const MAX_REST_MS = 60_000;

/** Where spans are sent, and how. */
export interface CollectorOptions {
  /** URL for traces. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: 5000. */
  readonly timeoutMs?: number | null;
  /** Attributes of the resource that the spans belong to; called for each batch. */
  readonly resource: () => Readonly<Record<string, string>>;
  /** Version of svc. */
  readonly version: string;
}

export class Collector {
  readonly #url: URL;
  readonly #options: CollectorOptions;
  readonly #timeoutMs: number;
  #spans: Span[] = [];
  #timer: NodeJS.Timeout | null = null;
  #sending: Promise<void> | null = null;
  #restMs = 0;
  #restsUntilMs = 0;
  #lost = 0;

  constructor(options: CollectorOptions) {
    this.#url = new URL(options.url);
    this.#options = options;
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  }

  /** False while spans would be dropped. */
  get isListening(): boolean {
    return this.#restMs === 0 || performance.now() >= this.#restsUntilMs;
  }

  add(span: Span): void {
    if (this.#spans.length >= MAX_SPANS) {
      this.#lost++;
      return;
    }
    this.#spans.push(span);
    if (this.#spans.length >= BATCH_SPANS) this.#send();
    else this.#timer ??= setTimeout(() => this.#send(), BATCH_EVERY_MS).unref();
  }

  /** Sends the buffered spans, as far as possible within the time. */
  async close(timeoutMs: number): Promise<void> {
    const end = new Promise((resolve) => setTimeout(resolve, timeoutMs).unref());
    await Promise.race([this.#sending, end]);
    this.#send();
    await Promise.race([this.#sending, end]);
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #send(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#sending !== null || this.#spans.length === 0) return;
    const spans = this.#spans;
    this.#spans = [];
    const { resource, version } = this.#options;
    this.#sending = this.#post(tracesText(resource(), version, spans)).then(
      () => this.#accepted(),
      (fault: unknown) => this.#refused(spans.length, fault),
    );
  }

  #accepted(): void {
    if (this.#restMs > 0) log(`trace collector is back; ${this.#lost} spans were dropped`);
    this.#restMs = 0;
    this.#lost = 0;
    this.#goOn();
  }

  #refused(spans: number, fault: unknown): void {
    this.#lost += spans;
    if (this.#restMs === 0) {
      const reason = fault instanceof Error && fault.message !== "" ? fault.message : String(fault);
      const where = `SVC2900: trace collector at ${this.#url.origin}`;
      log(`${where} rejects spans: ${reason}; requests are served without it`, "warn");
    }
    this.#restMs = Math.min(MAX_REST_MS, this.#restMs * 2 || FIRST_REST_MS);
    this.#restsUntilMs = performance.now() + this.#restMs;
    this.#lost += this.#spans.length;
    this.#spans = [];
    this.#goOn();
  }

  #goOn(): void {
    this.#sending = null;
    if (this.#spans.length >= BATCH_SPANS) this.#send();
    else if (this.#spans.length > 0) {
      this.#timer ??= setTimeout(() => this.#send(), BATCH_EVERY_MS).unref();
    }
  }

  #post(text: string): Promise<void> {
    const body = Buffer.from(text);
    const { request: send } = this.#url.protocol === "https:" ? https() : http();
    const contentHeaders = { "content-type": "application/json", "content-length": body.length };
    const headers = { ...this.#options.headers, ...contentHeaders };
    return new Promise((resolve, reject) => {
      const options = { method: "POST", headers, agent: false as const };
      const request = send(this.#url, options, (response) => {
        const { statusCode = 0 } = response;
        if (statusCode >= 200 && statusCode < 300) resolve();
        else reject(new Error(`returned ${statusCode}`));
        // The rest of the response is irrelevant.
        request.destroy();
      });
      const late = () => request.destroy(new Error(`no response within ${this.#timeoutMs} ms`));
      const timer = setTimeout(late, this.#timeoutMs).unref();
      request.on("error", reject).on("close", () => {
        clearTimeout(timer);
        reject(new Error("connection closed"));
      });
      request.end(body);
    });
  }
}
