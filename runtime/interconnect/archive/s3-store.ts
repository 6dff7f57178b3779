// Backup in a bucket of an S3-compatible store. URLs have the form <endpoint>/<bucket>/<key>, which
// all such stores support. Credentials and endpoint come from the environment variables that other
// S3 clients use.

import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { SvcError } from "../../base/errors.js";
import { sha256 } from "./manifest.js";
import type { ObjectStore, StoredObject } from "./object-store.js";

const TIMEOUT_MS = 60_000;
/** For responses 429 and 5xx, 50 ms to 1.6 s apart. */
const RETRIES = 5;
const MAX_LIST_BYTES = 2 ** 22;
const MAX_ERROR_BYTES = 2 ** 16;
const NOT_FOUND = 404;
/** The object exists, or another client is creating it. */
const EXISTS = new Set([409, 412]);

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
    await this.#require(await this.#write(name, content, {}), `PUT ${name}`);
  }

  async putNew(name: string, content: Uint8Array): Promise<boolean> {
    // Some stores ignore `If-None-Match`, so check first.
    if (await this.has(name)) return false;
    const response = await this.#write(name, content, { "If-None-Match": "*" });
    if (EXISTS.has(response.status)) return false;
    await this.#require(response, `PUT ${name}`);
    return true;
  }

  async has(name: string): Promise<boolean> {
    const head = await this.#request("HEAD", name);
    if (head.status !== NOT_FOUND) await this.#require(head, `HEAD ${name}`);
    return head.ok;
  }

  async get(name: string, maxBytes: number): Promise<Buffer | null> {
    const response = await this.#request("GET", name);
    if (response.status === NOT_FOUND) {
      // A missing bucket is not a missing object.
      const code = await this.#errorCode(response);
      if (code === "NoSuchKey") return null;
      throw this.#unusable(`GET ${name}: ${code}`);
    }
    await this.#require(response, `GET ${name}`);
    return this.#read(response, name, maxBytes);
  }

  async *list(prefix: string): AsyncGenerator<StoredObject, void, void> {
    for (let marker: string | null = ""; marker !== null; ) {
      const page = { "max-keys": String(this.#pageSize), prefix: this.#prefix + prefix, marker };
      const query = new URLSearchParams(page);
      const response = await this.#request("GET", "", `?${query}`);
      await this.#require(response, `LIST ${prefix}`);
      const xml = (await this.#read(response, "list", MAX_LIST_BYTES)).toString();
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
    if (response.status !== NOT_FOUND) await this.#require(response, `DELETE ${name}`);
  }

  #write(name: string, body: Uint8Array, headers: Record<string, string>): Promise<Response> {
    const init = {
      body: body as Uint8Array<ArrayBuffer>,
      // The store rejects a body that does not match the hash.
      headers: { ...headers, "X-Amz-Content-Sha256": sha256(body) },
    };
    return this.#request("PUT", name, "", init);
  }

  async #request(
    method: string,
    name: string,
    query = "",
    init: RequestInit = {},
  ): Promise<Response> {
    const key = name === "" ? "" : `/${this.#prefix}${name}`;
    const url = `${this.#bucket}${key}${query}`;
    try {
      const abort = new AbortController();
      const request = this.#client.fetch(url, { ...init, method, signal: abort.signal });
      return await this.#limit(request, (reason) => abort.abort(reason));
    } catch (error) {
      const { message, cause } = error as Error;
      const reason = cause instanceof Error && cause.message !== "" ? cause.message : message;
      throw this.#unusable(`${method} ${name}: ${reason}`, error);
    }
  }

  /** @throws SvcError SVC3422 if the request failed */
  async #require(response: Response, request: string): Promise<void> {
    if (response.ok) return;
    throw this.#unusable(`${request}: ${response.status} ${await this.#errorCode(response)}`);
  }

  /** Returns the code in the body of an error. */
  async #errorCode(response: Response): Promise<string> {
    const body = await this.#read(response, "error", MAX_ERROR_BYTES);
    return elementText(body.toString(), "Code");
  }

  async #read({ body }: Response, name: string, maxBytes: number): Promise<Buffer> {
    if (body === null) return Buffer.alloc(0);
    const reader = body.getReader();
    try {
      const reading = readAll(reader, maxBytes);
      return await this.#limit(reading, (reason) => void reader.cancel(reason).catch(() => {}));
    } catch (error) {
      throw this.#unusable(`${name}: ${(error as Error).message}`, error);
    }
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

/** @throws Error if the body has more bytes */
async function readAll(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  maxBytes: number,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(chunks);
    bytes += value.length;
    if (bytes > maxBytes) {
      await reader.cancel();
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
