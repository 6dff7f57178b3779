// Records a sample of the plugin requests, including built-in ones, with their responses in a file,
// to replay them against another release. Requests never wait for the file: if the disk is too
// slow, records are dropped and counted.

import { createWriteStream, fstatSync, openSync, type WriteStream } from "node:fs";
import { finished } from "node:stream/promises";
import { nowMs } from "../base/clock.js";
import { SvcError } from "../base/errors.js";
import { MAX_RECORDING_BYTES } from "../base/limits.js";
import { log } from "../base/log.js";
import {
  comparableResponse,
  RECORD_VERSION,
  RECORDED_FIELDS,
  type RecordedRequest,
  type RecordHead,
} from "../http/recorded-request.js";
import type { Exchange } from "../http/transport.js";

/** Requests and responses may hold private data. */
const OWNER_ONLY = 0o600;
const MAX_WAITING_BYTES = 8 * 1024 * 1024;
const MS_DIGITS = 3;
const NO_BODY = Buffer.alloc(0);

export interface RecorderOptions {
  readonly path: string;
  readonly service: string | null;
  /** Records one in this many requests. */
  readonly every: number;
  readonly bodies: boolean;
  /** File size at which the recording ends (default: 100 MiB). */
  readonly maxBytes?: number;
}

export class Recorder {
  readonly #options: RecorderOptions;
  /** Null before it is opened. */
  #file: WriteStream | null = null;
  /** False once the recording has ended; the file may still be written. */
  #isRecording = false;
  #left = 0;
  #seen = 0;
  #leftOut = 0;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  /** @throws SvcError SVC2890 if the file cannot be written */
  open(): void {
    const { path, service, every, bodies, maxBytes = MAX_RECORDING_BYTES } = this.#options;
    try {
      const fd = openSync(path, "a", OWNER_ONLY);
      const { size } = fstatSync(fd);
      this.#left = maxBytes - size;
      this.#file = createWriteStream(path, { fd, highWaterMark: MAX_WAITING_BYTES });
      // A crashed process may have left half a line.
      if (size > 0) this.#file.write("\n");
    } catch (error) {
      const text = `the record ${path} cannot be written: ${(error as Error).message}`;
      throw new SvcError("SVC2890", text, { cause: error });
    }
    this.#isRecording = true;
    this.#file.on("error", (error) => this.#end(`file cannot be written: ${error.message}`));
    this.#write({ record: RECORD_VERSION, service, every, bodies });
  }

  /**
   * Records an answered request if it is for a plugin on the main port.
   * @param body null for a stream, whose content is not available
   */
  recordResponse(
    exchange: Exchange,
    port: 0 | 1,
    status: number,
    mediaType: string | null,
    body: string | Uint8Array | null,
  ): void {
    if (this.#file === null || !this.#isRecording || port !== 0 || exchange.countedPlugin === null)
      return;
    if (exchange.isWarmUp) return;
    if (this.#seen++ % this.#options.every > 0) return;
    if (this.#file.writableLength > MAX_WAITING_BYTES) {
      this.#leftOut++;
      return;
    }
    this.#write(this.#recorded(exchange, status, mediaType, body));
  }

  /** Resolves when everything was passed to the system. */
  async close(): Promise<void> {
    const file = this.#file;
    if (file === null) return;
    if (this.#isRecording) this.#reportSkipped();
    this.#isRecording = false;
    file.end();
    // Write errors are reported where they arise and must not delay shutdown.
    await finished(file).catch(() => {});
  }

  #recorded(
    { method, target, headers, t0Ms, body: sent }: Exchange,
    status: number,
    mediaType: string | null,
    body: string | Uint8Array | null,
  ): RecordedRequest {
    const { bodies } = this.#options;
    const isCompared = body !== null && method !== "HEAD";
    // Latin1 text has one character per byte.
    const bytes = typeof body === "string" ? Buffer.from(body, "latin1") : (body ?? NO_BODY);
    const { content, ...summary } = comparableResponse(status, mediaType, bytes);
    const fields = RECORDED_FIELDS.flatMap((name) => {
      const value = headers.get(name);
      return value === undefined ? [] : [[name, value] as const];
    });
    return {
      at: Math.round(t0Ms),
      method,
      target,
      fields: Object.fromEntries(fields),
      sent: sent?.length ?? 0,
      ...(bodies && typeof sent === "string" && { body: base64(Buffer.from(sent, "latin1")) }),
      status,
      ms: Number((nowMs() - t0Ms).toFixed(MS_DIGITS)),
      bytes: isCompared ? summary.bytes : null,
      digest: isCompared ? summary.digest : null,
      ...(bodies && isCompared && content !== null && { answer: base64(content) }),
    };
  }

  #write(entry: RecordHead | RecordedRequest): void {
    const line = `${JSON.stringify(entry)}\n`;
    this.#left -= Buffer.byteLength(line);
    if (this.#left < 0) return this.#end(`it is full`);
    this.#file?.write(line);
  }

  #end(reason: string): void {
    log(`recording to ${this.#options.path} stopped: ${reason}`, "warn");
    this.#reportSkipped();
    this.#isRecording = false;
    this.#file?.end();
  }

  #reportSkipped(): void {
    if (this.#leftOut === 0) return;
    log(`${this.#leftOut} requests were not recorded: disk too slow`, "warn");
    this.#leftOut = 0;
  }
}

function base64(bytes: Buffer): string {
  return bytes.toString("base64");
}
