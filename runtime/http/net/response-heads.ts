// The header section of every response, byte for byte in the order of the interface: status line,
// fields of the engine, Server, Connection, Access-Control-Allow-Origin if configured, Content-Type
// and Content-Length when there is content. No Date.

import { KeptHeads } from "../kept-heads.js";
import { OWN_MEDIA_TYPE, reasonPhrase } from "../statuses.js";

const LENGTH = "Content-Length: ";
/** Heads of longer content are not kept. */
const MAX_KEPT_LENGTH = 255;

interface Head {
  /** Status line. */
  readonly first: string;
  /** From after the engine's fields up to the digits of Content-Length. */
  readonly rest: string;
  readonly both: string;
  /** Whole heads without fields of the engine, by the length of the content. */
  readonly kept: (string | undefined)[];
}

const cache = new Map<string, ResponseHeads>();

/**
 * Returns the heads that the servers of a thread share, so that the first requests find those of
 * the warm-up.
 * @param connection value of the `Connection` field
 */
export function responseHeads(
  cors: string | null,
  connection: "keep-Alive" | "close",
): ResponseHeads {
  const key = cors === null ? connection : `${connection} ${cors}`;
  const heads = cache.get(key) ?? new ResponseHeads(cors, connection);
  cache.set(key, heads);
  return heads;
}

export class ResponseHeads {
  readonly #cors: string;
  readonly #connection: string;
  readonly #heads = new KeptHeads((status, mediaType) => this.#make(status, mediaType));

  constructor(cors: string | null, connection: "keep-Alive" | "close") {
    this.#connection = connection;
    this.#cors = cors === null ? "" : `Access-Control-Allow-Origin: ${cors}\r\n`;
  }

  /**
   * Returns a whole head. Without content `mediaType` is null and no content fields are written.
   */
  text(status: number, mediaType: string | null, byteLength: number, fields: string): string {
    const head = this.#heads.get(status, byteLength === 0 ? null : mediaType);
    if (fields !== "" || byteLength > MAX_KEPT_LENGTH) return join(head, byteLength, fields);
    head.kept[byteLength] ??= join(head, byteLength, fields);
    return head.kept[byteLength]!;
  }

  /** Returns the same for content in chunked encoding. */
  chunked(status: number, mediaType: string, fields: string): string {
    const { first, rest } = this.#heads.get(status, mediaType);
    return `${first}${fields}${rest.slice(0, -LENGTH.length)}Transfer-Encoding: chunked\r\n\r\n`;
  }

  #make(status: number, mediaType: string | null): Head {
    const first = `HTTP/1.1 ${status} ${reasonPhrase(status)}\r\n`;
    const type =
      mediaType === OWN_MEDIA_TYPE ? "" : `Content-Type: ${mediaType}; charset=UTF-8\r\n`;
    const content = mediaType === null ? "" : type + LENGTH;
    const rest = `Server: SVC/3\r\nConnection: ${this.#connection}\r\n${this.#cors}${content}`;
    return { first, rest, both: first + rest, kept: new Array(MAX_KEPT_LENGTH + 1) };
  }
}

function join(head: Head, byteLength: number, fields: string): string {
  const start = fields === "" ? head.both : head.first + fields + head.rest;
  return byteLength === 0 ? `${start}\r\n` : `${start}${byteLength}\r\n\r\n`;
}
