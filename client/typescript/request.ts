// Builds the request of one call: URL, header fields and body. Only own members of the caller's
// objects are read, and everything is escaped.

import type { Operation } from "./operation.js";
import type { CallOptions } from "./options.js";
import { encode } from "./typed-values.js";

export interface Request {
  readonly url: string;
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | ArrayBuffer | FormData | undefined;
}

const MEDIA_TYPES = {
  bytes: "application/octet-stream",
  str: "text/plain",
  json: "application/json",
};

/** Returns a text that no other request has, in the quotes of a structured field. */
function newKey(): string {
  const bytes = Uint8Array.from({ length: 16 }, () => Math.random() * 256);
  // Missing in Node.js 18.
  globalThis.crypto?.getRandomValues(bytes);
  return `"${escapeBytes(bytes).replaceAll("%", "")}"`;
}

/** @param headers by name in lower case */
export function buildRequest(
  baseUrl: string,
  operation: Operation,
  params: object,
  { headers = {}, partial, key }: CallOptions,
): Request {
  const { path, content: contentForm, post, text, stream, readonly } = operation;
  const members = Object.entries(params)
    .filter(([, value]) => value !== undefined)
    .map((member) => encoded(member, operation));
  const isContent = ([name]: [string, unknown]) => name === "content" && contentForm !== undefined;
  const content = members.find(isContent);
  const query = members
    .filter((member) => !isContent(member))
    .map(([name, value]) => queryPart(name, value, operation))
    .join("&");
  const isPost = Boolean(content || post);
  return {
    url: `${baseUrl.replace(/\/+$/, "")}${path}${query && `?${query}`}`,
    method: isPost ? "POST" : "GET",
    headers: {
      accept: text ? "text/plain" : stream ? "text/event-stream" : "application/json",
      // `fetch` sets the media type of a form, with the boundary that it chooses.
      ...(content && contentForm !== "form" && { "content-type": MEDIA_TYPES[contentForm!] }),
      ...post,
      ...(isPost && !readonly && { "idempotency-key": newKey() }),
      ...headers,
      ...(partial !== undefined && { "x-svc-partial-target": String(partial) }),
      ...(key !== undefined && { "x-svc-key": escapeText(key) }),
    },
    body: content && bodyOf(content[1], contentForm!),
  };
}

function encoded(
  [name, value]: [string, unknown],
  { params = {}, plans = [] }: Operation,
): [string, unknown] {
  return [name, Object.hasOwn(params, name) ? encode(value, params[name]!, plans) : value];
}

function queryPart(name: string, value: unknown, { json }: Operation): string {
  const key = escapeText(name);
  if (json?.includes(name)) return `${key}=${escapeText(jsonText(name, value))}`;
  if (value === null) return key;
  if (value instanceof Uint8Array) return `${key}=${escapeBytes(value)}`;
  if (typeof value === "object" || typeof value === "function" || typeof value === "symbol") {
    // Rejects objects and arrays: they would become `[object Object]`, or a list that the server
    // reads as one text.
    throw new TypeError(`${name}: expected text, a number, a boolean or bytes`);
  }
  return `${key}=${escapeText(String(value))}`;
}

/** @throws TypeError if the value has no JSON form */
function jsonText(name: string, value: unknown): string {
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined) throw new TypeError(`${name}: expected a JSON value`);
  return text;
}

/**
 * Lone surrogates become U+FFFD, as in every UTF-8 encoder. A bare parenthesis could start a cast
 * (http-interface, "Plugin execution" rule 5).
 */
function escapeText(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, "\ufffd")).replaceAll("(", "%28");
}

function escapeBytes(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
}

function bodyOf(
  content: unknown,
  form: NonNullable<Operation["content"]>,
): string | ArrayBuffer | FormData {
  if (form === "form") return formOf(content as object);
  if (form === "json") return jsonText("content", content);
  if (typeof content === "string") return content;
  // Copy the bytes, so that a retry sends the same ones as the first attempt.
  if (content instanceof ArrayBuffer) return content.slice(0);
  return copyOfView(content).buffer;
}

function formOf(files: object): FormData {
  const form = new FormData();
  for (const [name, file] of Object.entries(files) as [string, unknown][]) {
    // A File keeps its own name. Without one, Node.js would send the file as a text field.
    if (file instanceof Blob && (file as Partial<File>).name) form.append(name, file);
    else if (file != null) form.append(name, blobOf(file), name);
  }
  return form;
}

function blobOf(file: unknown): Blob {
  if (file instanceof Blob) return file;
  return new Blob([file instanceof ArrayBuffer ? file : copyOfView(file)]);
}

/** @throws TypeError if it is not a view of bytes */
function copyOfView(content: unknown): Uint8Array<ArrayBuffer> {
  if (!ArrayBuffer.isView(content))
    throw new TypeError("content: expected text, bytes or a stream");
  const { buffer, byteOffset, byteLength } = content;
  return new Uint8Array(buffer, byteOffset, byteLength).slice();
}

/** Blobs, files and streams are read completely, so that a retry can send them again. */
interface Source {
  arrayBuffer?(): Promise<ArrayBuffer>;
  getReader?(): { read(): Promise<{ done?: boolean; value?: unknown }> };
  [Symbol.asyncIterator]?(): AsyncIterator<unknown>;
}

/**
 * Returns the parameters with asynchronous content read into bytes.
 * @throws TypeError for a stream of anything but text and bytes
 */
export async function withBytes({ content: form }: Operation, params: object): Promise<object> {
  const { content } = params as { content?: Source | null };
  if (form === undefined || form === "json" || form === "form") return params;
  // The value that the plugin receives for a request without a body.
  if (content === null) return { ...params, content: undefined };
  if (content?.arrayBuffer) return { ...params, content: await content.arrayBuffer() };
  if (!content?.getReader && !content?.[Symbol.asyncIterator]) return params;
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for await (const part of piecesOf(content)) {
    const isText = typeof part === "string";
    const isBuffer = part instanceof ArrayBuffer;
    parts.push(isText ? ENCODER.encode(part) : copyOfView(isBuffer ? new Uint8Array(part) : part));
  }
  // `Response` would write `[object Object]` for sources that it does not know.
  return { ...params, content: await new Blob(parts).arrayBuffer() };
}

const ENCODER = new TextEncoder();

async function* piecesOf(source: Source): AsyncGenerator<unknown> {
  if (source[Symbol.asyncIterator]) {
    yield* source as AsyncIterable<unknown>;
    return;
  }
  const reader = source.getReader!();
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
}
