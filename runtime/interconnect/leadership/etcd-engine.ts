// Leadership engine on the JSON gateway of etcd 3: one key per record, replaced by compare-and-swap
// on its revision. Reads are linearizable.
//
//   http://host:port[,host:port...]/PREFIX, or https://

import { SvcError } from "../../base/errors.js";
import { requestJson } from "./json-request.js";
import { type LeadershipEngine, MAX_TEXT_BYTES, type TextReading } from "./leadership.js";

const ADDRESS = /^(https?):\/\/([\w.:,[\]-]{1,1000})\/([\w-]{1,64})$/;
const ABSENT = "0";

interface KeyValue {
  readonly value?: unknown;
  readonly mod_revision?: unknown;
}

export class EtcdEngine implements LeadershipEngine {
  readonly #servers: readonly string[];
  readonly #key: string;
  readonly #timeoutMs: number;
  /** Index of the server that responded last. */
  #current = 0;

  /** @throws SvcError SVC3400 */
  constructor(uri: string, name: string, timeoutMs: number) {
    const match = ADDRESS.exec(uri);
    if (match === null) {
      const form = "http://host:port[,host:port...]/PREFIX";
      const text = `leadership: ${JSON.stringify(uri.slice(0, 200))} is not ${form}`;
      throw new SvcError("SVC3400", text);
    }
    const [, scheme, hosts = "", prefix] = match;
    this.#servers = hosts.split(",").map((host) => `${scheme}://${host}`);
    this.#key = Buffer.from(`/${prefix}/${name}`).toString("base64");
    this.#timeoutMs = timeoutMs;
  }

  async read(): Promise<TextReading> {
    const { kvs } = await this.#call("/v3/kv/range", { key: this.#key });
    const [entry] = Array.isArray(kvs) ? (kvs as readonly KeyValue[]) : [];
    if (entry === undefined) return { revision: ABSENT, text: null };
    const text = Buffer.from(String(entry.value ?? ""), "base64").toString();
    return { revision: String(entry.mod_revision), text };
  }

  async swap(revision: string, text: string): Promise<string | null> {
    const value = Buffer.from(text).toString("base64");
    const unmodified = { key: this.#key, target: "MOD", result: "EQUAL", mod_revision: revision };
    const { succeeded, header } = await this.#call("/v3/kv/txn", {
      compare: [unmodified],
      success: [{ request_put: { key: this.#key, value } }],
    });
    if (succeeded !== true) return null;
    return String((header as { revision?: unknown } | undefined)?.revision);
  }

  async close(): Promise<void> {}

  /** Calls the server that responded last; after a failure, the next call tries the next server. */
  async #call(path: string, body: object): Promise<Readonly<Record<string, unknown>>> {
    const timeoutMs = this.#timeoutMs;
    try {
      const url = `${this.#servers[this.#current]}${path}`;
      const response = await requestJson(url, { body, timeoutMs, maxBytes });
      if (response.status !== 200) throw new Error(`etcd answers ${response.status}`);
      return response.json;
    } catch (error) {
      this.#current = (this.#current + 1) % this.#servers.length;
      throw error;
    }
  }
}

/** Base64 enlarges a record by a third; the rest is for the JSON around it. */
const maxBytes = 2 * MAX_TEXT_BYTES;
