// Serves user-defined files of `<root>/WEB-ROOT` (http-interface, "User-defined files"). A path is
// decoded, then resolved with all its symbolic links, and only then compared with the root, so that
// neither `..` nor an escape nor a link leads outside. Contents are streamed, whole or as one
// range.

import { constants } from "node:fs";
import { access, open, realpath, stat } from "node:fs/promises";
import { resolve, sep } from "node:path";
import { MAX_COMPRESSED_FILE_BYTES, MIN_COMPRESSED_BYTES } from "../base/limits.js";
import { latin1ToUtf8 } from "../plugin/contract/wire-text.js";
import { type ByteRange, matchesEtag, parseByteRange } from "./byte-range.js";
import { CompressedFiles } from "./compressed-files.js";
import { type Compressor, encoded, VARY } from "./compressor.js";
import { isCompressible, negotiateCoding } from "./content-coding.js";
import { HttpRejection } from "./rejections.js";
import type { Exchange } from "./transport.js";

const READ_BYTES = 64 * 1024;
const BAD_ESCAPE = /%(?![0-9A-Fa-f]{2})/;
const ESCAPE = /%([0-9A-Fa-f]{2})/g;
const FORBIDDEN_PATH = new HttpRejection(403, "403 Forbidden: forbidden path");
const INVALID_PATH = new HttpRejection(403, "403 Forbidden: invalid path");
const UNKNOWN_FILE = new HttpRejection(404, "404 Not Found: unknown service or file");
const FAILURE = new HttpRejection(500, "500 Internal Server Error");
const NO_FILE_CODES: readonly unknown[] = ["ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG"];

interface FoundFile {
  readonly path: string;
  readonly size: number;
  readonly mediaType: string;
  /** Quoted entity tag; changes with the content. */
  readonly tag: string;
}

/** Answers with an error. */
type Refuse = (status: number, message: string, fields?: string) => void;

export class FileServer {
  readonly #root: string;
  readonly #compressed: CompressedFiles | null;

  /**
   * @param root the folder to serve; it need not exist yet
   * @param compressor null: files are sent uncompressed
   */
  constructor(root: string, compressor: Compressor | null = null) {
    this.#compressed = compressor && new CompressedFiles(compressor);
    this.#root = resolve(root);
  }

  /**
   * Answers GET or HEAD of a path, at once or asynchronously.
   * @param path as received, without query and service prefix, latin1
   * @param refuse answers with an error instead
   * @param fields header lines of every file
   */
  serve(exchange: Exchange, path: string, refuse: Refuse, fields = ""): void {
    this.#find(path).then((result) => {
      if (result instanceof HttpRejection) refuse(result.status, result.message);
      else this.#send(exchange, result, refuse, fields);
    });
  }

  #send(exchange: Exchange, file: FoundFile, refuse: Refuse, more: string): void {
    const { path, size, mediaType } = file;
    const isWorth = size >= MIN_COMPRESSED_BYTES && size <= MAX_COMPRESSED_FILE_BYTES;
    const compressed = isWorth && isCompressible(mediaType) ? this.#compressed : null;
    if (compressed === null) return send(exchange, file, more, refuse);
    const { headers } = exchange;
    // Ranges refer to the uncompressed content.
    const hasNoRange = headers.get("range") === undefined;
    const coding = hasNoRange ? negotiateCoding(headers.get("accept-encoding")) : null;
    const varying = VARY + more;
    if (coding === null) return send(exchange, file, varying, refuse);
    const tag = `${file.tag.slice(0, -1)}-${coding}"`;
    const fields = `Accept-Ranges: bytes\r\nETag: ${tag}\r\n${varying}`;
    if (matchesEtag(headers.get("if-none-match"), tag))
      return exchange.respond(304, null, "", fields);
    const respond = (content: Uint8Array | null): void => {
      if (content === null) send(exchange, file, varying, refuse);
      else exchange.respond(200, mediaType, content, encoded(fields, coding));
    };
    const content = compressed.find(path, tag, size, coding);
    if (content instanceof Promise) content.then(respond);
    else respond(content);
  }

  /** Never rejects. */
  async #find(path: string): Promise<FoundFile | HttpRejection> {
    if (BAD_ESCAPE.test(path)) return INVALID_PATH;
    const name = latin1ToUtf8(
      path.replace(ESCAPE, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    );
    if (name.includes("\0")) return INVALID_PATH;
    const requested = resolve(this.#root, `./${name}`);
    if (!isInside(requested, this.#root)) return FORBIDDEN_PATH;
    if (name.endsWith("/")) return UNKNOWN_FILE;
    try {
      const [root, real] = await Promise.all([realpath(this.#root), realpath(requested)]);
      if (!isInside(real, root)) return FORBIDDEN_PATH;
      if (isHidden(requested, this.#root) || isHidden(real, root)) return UNKNOWN_FILE;
      const [found] = await Promise.all([stat(real), access(real, constants.R_OK)]);
      if (!found.isFile()) return UNKNOWN_FILE;
      const { size, mtimeMs } = found;
      // Its tables load with the first file.
      const { mediaTypeFor } = await import("./media-types.js");
      const tag = `"${size.toString(16)}-${mtimeMs.toString(16)}"`;
      return { path: real, size, mediaType: mediaTypeFor(real), tag };
    } catch (error) {
      return refusalOf(error);
    }
  }
}

/** Sends a file uncompressed. */
function send(exchange: Exchange, file: FoundFile, more: string, refuse: Refuse): void {
  const { size, mediaType, tag } = file;
  const { headers } = exchange;
  const fields = `Accept-Ranges: bytes\r\nETag: ${tag}\r\n${more}`;
  if (matchesEtag(headers.get("if-none-match"), tag))
    return exchange.respond(304, null, "", fields);
  const isSame = (headers.get("if-range") ?? tag) === tag;
  const range = isSame ? parseByteRange(headers.get("range"), size) : null;
  if (range === "outside") {
    const message = "416 Range Not Satisfiable: range is outside the file";
    return refuse(416, message, `Content-Range: bytes */${size}\r\n`);
  }
  if (size === 0) return exchange.respond(200, mediaType, "", fields);
  const { start, length } = range ?? { start: 0, length: size };
  const status = range === null ? 200 : 206;
  const part = `Content-Range: bytes ${start}-${start + length - 1}/${size}\r\n`;
  const content = contentOf(file, { start, length });
  exchange.respondStream(
    status,
    mediaType,
    length,
    content,
    status === 206 ? fields + part : fields,
  );
}

/** Tools leave `.env` and `.git` behind. Only `.well-known` (RFC 8615) is meant to be public. */
function isHidden(path: string, root: string): boolean {
  const parts = path.slice(root.length).split(sep);
  return parts.some((part) => part.startsWith(".") && part !== ".well-known");
}

function isInside(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

function refusalOf(error: unknown): HttpRejection {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (NO_FILE_CODES.includes(code)) return UNKNOWN_FILE;
  return code === "EACCES" || code === "EPERM" ? FORBIDDEN_PATH : FAILURE;
}

/** Opens the file when its first bytes are read, which HEAD never does. */
async function* contentOf(file: FoundFile, range: ByteRange): AsyncGenerator<Uint8Array> {
  const handle = await open(file.path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const end = range.start + range.length;
    for (let at = range.start; at < end; ) {
      const buffer = Buffer.allocUnsafe(Math.min(end - at, READ_BYTES));
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, at);
      if (bytesRead === 0) return;
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}
