// Executor side of `Idempotency-Key`: stores the response of a request, and returns it for repeated
// ones instead of running the plugin again. See graph/manager/request-keys.ts.

import type { RequestKey } from "../graph/manager/request-keys.js";
import type { PluginEntry } from "../plugin/contract/plugin-entry.js";
import type { RequestSource } from "../plugin/contract/request-source.js";
import { type Done, sendMessage } from "../plugin/run/plugin-errors.js";
import { IDEMPOTENCY_KEY, requestFingerprint, requestKeyId } from "./idempotency-key.js";
import { BUILTIN_PATH } from "./route-table.js";

/** Longer responses are not stored. */
const MAX_RESPONSE_BYTES = 16_384;
/** Bytes of the header: status (2), kind, flag for text. */
const HEAD_BYTES = 4;

const OTHER = `SVC3406: another request has this ${IDEMPOTENCY_KEY}`;
const UNKNOWN =
  `SVC3407: the request with this ${IDEMPOTENCY_KEY} has changed graphs, and its answer is not ` +
  "known";

/** Stored response of a request that must not run again. */
export interface KnownOutcome {
  readonly status: number;
  readonly kind: number;
  readonly payload: string | Uint8Array<ArrayBuffer>;
  readonly flush: number;
}

type OpenRequestKey = typeof import("../graph/manager/request-keys.js").openRequestKey;

export class KeyedCalls {
  #openRequestKey: OpenRequestKey | null = null;
  readonly #keys = new Map<number, RequestKey>();

  /** True once `load` has resolved; `begin` requires it. */
  get isLoaded(): boolean {
    return this.#openRequestKey !== null;
  }

  /** Loads the graph engine, which threads without graphs need only for keys. */
  async load(): Promise<void> {
    this.#openRequestKey = (await import("../graph/manager/request-keys.js")).openRequestKey;
  }

  /**
   * Returns the stored response of a request; null: `run` must execute it.
   * @throws errors of opening the graph of keys
   */
  begin(source: RequestSource, entry: PluginEntry | undefined): KnownOutcome | null {
    const fingerprint = requestFingerprint(source);
    const key = this.#openRequestKey!(requestKeyId(source), fingerprint, changesGraphs(entry));
    if (key === null) return null;
    const stored = key.find();
    if (stored === null) {
      this.#keys.set(source.serial, key);
      return null;
    }
    if (stored.fingerprint !== fingerprint) return refusal(source, 422, OTHER);
    if (stored.answer === null) return refusal(source, 500, UNKNOWN);
    return { ...decode(stored.answer), flush: key.flush };
  }

  run<T>(serial: number, call: () => T): T {
    const key = this.#keys.get(serial);
    return key === undefined ? call() : key.run(call);
  }

  /** Stores the response of a request with a key. */
  responded(serial: number, ...outcome: Parameters<Done>): void {
    this.#take(serial)?.end(encode(...outcome));
  }

  /** Records that a request with a key ended without a storable response. */
  abandon(serial: number): void {
    this.#take(serial)?.end(null);
  }

  /** Removes and returns the key of a request; most requests have none. */
  #take(serial: number): RequestKey | undefined {
    if (this.#keys.size === 0) return undefined;
    const key = this.#keys.get(serial);
    this.#keys.delete(serial);
    return key;
  }
}

function changesGraphs(entry: PluginEntry | undefined): boolean {
  const description = entry?.description;
  return description !== undefined && (description.bound_graph !== null || isBuiltin(description));
}

function isBuiltin({ path }: PluginEntry["description"]): boolean {
  return path.startsWith(BUILTIN_PATH);
}

function refusal({ accept }: RequestSource, status: number, text: string): KnownOutcome {
  let outcome: KnownOutcome | null = null;
  sendMessage(
    (...[code, kind, payload]) => {
      outcome = { status: code, kind, payload, flush: 0 };
    },
    accept,
    status,
    text,
  );
  return outcome!;
}

function encode(status: number, kind: number, payload: string | Uint8Array): Uint8Array | null {
  if (payload.length > MAX_RESPONSE_BYTES) return null;
  const isText = typeof payload === "string";
  const head = Buffer.from([status >> 8, status & 0xff, kind, isText ? 1 : 0]);
  return Buffer.concat([head, isText ? Buffer.from(payload, "latin1") : payload]);
}

function decode(encoded: Uint8Array): Omit<KnownOutcome, "flush"> {
  const [high, low, kind, isText] = encoded as unknown as [number, number, number, number];
  const content = new Uint8Array(encoded.subarray(HEAD_BYTES));
  const payload = isText === 1 ? Buffer.from(content.buffer).toString("latin1") : content;
  return { status: high * 256 + low, kind, payload };
}
