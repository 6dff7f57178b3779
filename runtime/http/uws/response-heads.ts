// The header section of a response for uWebSockets: one string that follows "HTTP/1.1 ".
// uWebSockets adds Date and Content-Length itself, and `Connection: close` when told to close the
// connection.

import { KeptHeads } from "../kept-heads.js";
import { OWN_MEDIA_TYPE, reasonPhrase } from "../statuses.js";

/** Bytes that uWebSockets adds: version, line ends, Date, the name of Content-Length. */
const ADDED_BYTES = 68;

export class UwsResponseHeads {
  readonly #cors: string;
  readonly #heads = new KeptHeads((status, mediaType) =>
    this.#make(status, mediaType, "", "keep-Alive"),
  );

  constructor(cors: string | null) {
    this.#cors = cors === null ? "" : `\r\nAccess-Control-Allow-Origin: ${cors}`;
  }

  /** Returns a head without its last line end. `mediaType` is null if there is no content. */
  text(status: number, mediaType: string | null, fields: string): string {
    if (fields !== "") return this.#make(status, mediaType, fields, "keep-Alive");
    return this.#heads.get(status, mediaType);
  }

  /**
   * Returns the head of a response that closes the connection; uWebSockets adds `Connection:
   * close`.
   */
  closing(status: number, mediaType: string, fields: string): string {
    return this.#make(status, mediaType, fields, null);
  }

  /** Returns the same for streamed content, where uWebSockets does not add `Connection: close`. */
  last(status: number, mediaType: string, fields: string): string {
    return this.#make(status, mediaType, fields, "close");
  }

  #make(
    status: number,
    mediaType: string | null,
    fields: string,
    connection: string | null,
  ): string {
    const connectionLine = connection === null ? "" : `\r\nConnection: ${connection}`;
    const isNone = mediaType === null || mediaType === OWN_MEDIA_TYPE;
    const content = isNone ? "" : `\r\nContent-Type: ${mediaType}; charset=UTF-8`;
    const first = `${status} ${reasonPhrase(status)}\r\n`;
    return `${first}${fields}Server: SVC/3${connectionLine}${this.#cors}${content}`;
  }
}

/** Returns the bytes of a head on the wire, for content of `contentLength` bytes. */
export function headBytes(head: string, contentLength: number): number {
  return head.length + ADDED_BYTES + String(contentLength).length;
}
