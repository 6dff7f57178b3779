// Backup in a bucket of an S3-compatible store. URLs have the form <endpoint>/<bucket>/<key>, which
// all such stores support. Credentials and endpoint come from the environment variables that other
// S3 clients use.

import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { SvcError } from "../../base/errors.js";
import { sha256 } from "./manifest.js";
import type { ObjectStore, StoredObject } from "./object-store.js";

const TIMEOUT_MS = 60_000;
/** For responses 429 and 5xx, and after broken connections. */
const RETRIES = 5;
const RETRY_MS = 50;
/** Codes of a connection that breaks, also one that the store closed while it was idle. */
const BROKEN = new Set(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"]);
const MAX_LIST_BYTES = 2 ** 22;
const MAX_ERROR_BYTES = 2 ** 16;
const NOT_FOUND = 404;
/** The object exists, or another client is creating it. */
const EXISTS = new Set([409, 412]);
/** Makes a request create an object only if there is none. */
const IF_NONE = "If-None-Match";

/** Bucket and prefix of all keys, in characters that need no escaping in XML or in a URL. */
const URI = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:\/[\w.-]+)*)\/?$/;

/** Client of the optional package `aws4fetch`, which signs requests. */
interface SigningClient {
  fetch(address: string, init: RequestInit): Promise<Response>;
}

interface SigningPackage {
  readonly AwsClient: new (options: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
    readonly service: string;
    readonly region: string;
    readonly retries: number;
  }) => SigningClient;
}

interface Answer {
  readonly ok: boolean;
  readonly status: number;
  readonly body: Buffer;
  /** Code of an error. */
  readonly reason: string;
}

export interface S3Options {
  /** Variables of the environment. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Objects per page of a list. */
  readonly pageSize?: number;
  /** Limit of a request, and of a response. */
  readonly timeoutMs?: number;
}

export class S3Store implements ObjectStore {
  readonly uri: string;
  readonly #client: SigningClient;
  readonly #bucket: string;
  readonly #prefix: string;
  readonly #pageSize: number;
  readonly #timeoutMs: number;

  private constructor(uri: string, client: SigningClient, endpoint: string, options: S3Options) {
    const [, bucket, path] = URI.exec(uri)!;
    this.uri = uri;
    this.#client = client;
    this.#bucket = `${endpoint.replace(/\/+$/, "")}/${bucket}`;
    this.#prefix = path === "" ? "" : `${path!.slice(1)}/`;
    this.#pageSize = options.pageSize ?? 1000;
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  }

  /** @throws SvcError SVC3422 */
  static async open(uri: string, options: S3Options): Promise<S3Store> {
    const { environment } = options;
    const unusable = (reason: string): SvcError => new SvcError("SVC3422", `${uri}: ${reason}`);
    if (!URI.test(uri)) throw unusable("a bucket has the form s3://bucket/prefix");
    const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = environment;
    if (!accessKeyId || !secretAccessKey) {
      throw unusable("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set");
    }
    const { AWS_REGION, AWS_DEFAULT_REGION, AWS_SESSION_TOKEN } = environment;
    const region = AWS_REGION ?? AWS_DEFAULT_REGION ?? "us-east-1";
    const { AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL } = environment;
    const endpoint = AWS_ENDPOINT_URL_S3 ?? AWS_ENDPOINT_URL ?? defaultEndpoint(region);
    if (!URL.canParse(endpoint)) throw unusable(`AWS_ENDPOINT_URL is not a URL: ${endpoint}`);
    const { AwsClient: Client } = await loadPackage(uri);
    const session = AWS_SESSION_TOKEN ? { sessionToken: AWS_SESSION_TOKEN } : {};
    const keys = { accessKeyId, secretAccessKey, ...session };
    const client = new Client({ ...keys, service: "s3", region, retries: RETRIES });
    return new S3Store(uri, client, endpoint, options);
  }

  async put(name: string, content: Uint8Array): Promise<void> {
    this.#require(await this.#write(name, content, {}), `PUT ${name}`);
  }

  async putNew(name: string, content: Uint8Array): Promise<boolean> {
    // Some stores ignore `If-None-Match`, so check first.
    if (await this.has(name)) return false;
    const response = await this.#write(name, content, { [IF_NONE]: "*" });
    if (EXISTS.has(response.status)) return false;
    this.#require(response, `PUT ${name}`);
    return true;
  }

  async has(name: string): Promise<boolean> {
    const head = await this.#request("HEAD", name);
    if (head.status !== NOT_FOUND) this.#require(head, `HEAD ${name}`);
    return head.ok;
  }

  async get(name: string, maxBytes: number): Promise<Buffer | null> {
    const response = await this.#request("GET", name, {}, maxBytes);
    // A missing bucket is not a missing object.
    if (response.status === NOT_FOUND && response.reason === "NoSuchKey") return null;
    this.#require(response, `GET ${name}`);
    return response.body;
  }

  async *list(prefix: string): AsyncGenerator<StoredObject, void, void> {
    for (let marker: string | null = ""; marker !== null; ) {
      const page = { "max-keys": String(this.#pageSize), prefix: this.#prefix + prefix, marker };
      const query = `?${new URLSearchParams(page)}`;
      const response = await this.#request("GET", query, {}, MAX_LIST_BYTES);
      this.#require(response, `LIST ${prefix}`);
      const xml = response.body.toString();
      // A web server, or the console of a store, has a page for every path.
      if (!xml.includes("<ListBucketResult")) {
        throw this.#unusable(`LIST ${prefix}: the endpoint is no store with the S3 interface`);
      }
      marker = null;
      const isLast = elementText(xml, "IsTruncated") !== "true";
      for (const [, entry] of xml.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
        const key = elementText(entry!, "Key");
        if (!isLast) marker = key;
        const modifiedAt = Date.parse(elementText(entry!, "LastModified"));
        yield { name: key.slice(this.#prefix.length), modifiedAt };
      }
    }
  }

  async remove(name: string): Promise<void> {
    const response = await this.#request("DELETE", name);
    if (response.status !== NOT_FOUND) this.#require(response, `DELETE ${name}`);
  }

  #write(name: string, body: Uint8Array, headers: Record<string, string>): Promise<Answer> {
    return this.#request("PUT", name, {
      body: body as Uint8Array<ArrayBuffer>,
      // The store rejects a body that does not match the hash.
      headers: { ...headers, "X-Amz-Content-Sha256": sha256(body) },
    });
  }

  /**
   * Repeats requests whose connection breaks, but not the creation of an object: the response may
   * have been lost.
   * @param name of an object, or the query of a list
   */
  async #request(
    method: string,
    name: string,
    init: RequestInit = {},
    maxBytes = MAX_ERROR_BYTES,
  ): Promise<Answer> {
    const path = name.startsWith("?") ? name : `/${this.#prefix}${name}`;
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#attempt(`${this.#bucket}${path}`, { ...init, method }, maxBytes);
      } catch (error) {
        const { message, cause } = error as Error & { cause?: Error & { code?: string } };
        const isRepeated =
          BROKEN.has(cause?.code ?? "") && !Object.hasOwn(init.headers ?? {}, IF_NONE);
        if (!isRepeated || attempt === RETRIES) {
          const reason = cause instanceof Error && cause.message !== "" ? cause.message : message;
          throw this.#unusable(`${method} ${name}: ${reason}`, error);
        }
      }
      await sleep(RETRY_MS * 2 ** attempt);
    }
  }

  async #attempt(url: string, init: RequestInit, maxBytes: number): Promise<Answer> {
    const abort = new AbortController();
    // Another host must not get the keys of a session, which a redirected request would carry.
    const options = { ...init, redirect: "manual", signal: abort.signal } as const;
    const sent = this.#client.fetch(url, options);
    const response = await this.#limit(sent, (reason) => abort.abort(reason));
    const { ok, status, statusText } = response;
    const body = await this.#read(response, ok ? maxBytes : null);
    const location = response.headers.get("location");
    // HEAD has no body, and that of a proxy has no code.
    const code = elementText(body.toString(), "Code") || statusText;
    return { ok, status, body, reason: location === null ? code : `${code} to ${location}` };
  }

  /** @throws SvcError SVC3422 if the request failed */
  #require({ ok, status, reason }: Answer, request: string): void {
    if (!ok) throw this.#unusable(`${request}: ${status} ${reason}`);
  }

  async #read({ body }: Response, maxBytes: number | null): Promise<Buffer> {
    if (body === null) return Buffer.alloc(0);
    const reader = body.getReader();
    const reading = readAll(reader, maxBytes);
    return this.#limit(reading, (reason) => void reader.cancel(reason).catch(() => {}));
  }

  /** The timer does not rely on the signal of a request: Node.js drops it with the request. */
  async #limit<T>(work: Promise<T>, cancel: (reason: Error) => void): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        const reason = new Error(`not complete after ${this.#timeoutMs / 1000} s`);
        reject(reason);
        cancel(reason);
      }, this.#timeoutMs);
    });
    try {
      return await Promise.race([work, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  #unusable(reason: string, cause?: unknown): SvcError {
    return new SvcError("SVC3422", `${this.uri}: ${reason}`, { cause });
  }
}

/**
 * @param maxBytes maximum of the whole body; null: reads only the beginning of an error page
 * @throws Error if the body has more bytes
 */
async function readAll(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  maxBytes: number | null,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(chunks);
    bytes += value.length;
    if (bytes > (maxBytes ?? MAX_ERROR_BYTES)) {
      await reader.cancel();
      if (maxBytes === null) return Buffer.concat([...chunks, value]);
      throw new Error(`it has more than ${maxBytes} bytes`);
    }
    chunks.push(value);
  }
}

function defaultEndpoint(region: string): string {
  return `https://s3.${region}.amazonaws.com`;
}

/** Returns the text of the first element of that name. */
function elementText(xml: string, name: string): string {
  return new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? "";
}

/** Loads the optional package that signs requests. */
async function loadPackage(uri: string): Promise<SigningPackage> {
  let cause: unknown;
  for (const base of [import.meta.url, join(process.cwd(), "package.json")]) {
    try {
      const path = createRequire(base).resolve("aws4fetch");
      return (await import(pathToFileURL(path).href)) as SigningPackage;
    } catch (error) {
      cause = error;
    }
  }
  const text = `${uri}: the package aws4fetch is missing; run \`npm install aws4fetch\``;
  throw new SvcError("SVC3422", text, { cause });
}
