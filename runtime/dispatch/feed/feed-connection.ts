// A request for the change feed of a back-end, on a separate connection: the endless response would
// occupy a channel, and a slow reader would delay other streams of a trunk.

import { type IncomingMessage, request } from "node:http";
import { MAX_RESPONSE_HEAD_BYTES } from "../../base/limits.js";
import type { BackEnd } from "../back-end.js";
import { MalformedResponse } from "../response-parser.js";

/** Exceeds the body of any refusal. */
const MAX_REFUSAL_BYTES = 256 * 1024;
/** Silence that counts as a lost connection: back-ends send comments while nothing changes. */
const SILENCE_MS = 20_000;

/** A response other than 200. */
export interface FeedRefusal {
  readonly status: number;
  readonly mediaType: string;
  readonly body: Buffer;
}

/** The text of a response with status 200, part by part. */
export class OpenFeed {
  readonly #response: IncomingMessage;
  readonly #parts: AsyncIterator<string>;

  constructor(response: IncomingMessage) {
    this.#response = response.setEncoding("utf8");
    this.#parts = (response as AsyncIterable<string>)[Symbol.asyncIterator]();
  }

  /**
   * Returns the next part; null at the end.
   * @throws Error if the connection is lost or the back-end is silent
   */
  async next(): Promise<string | null> {
    const timer = setTimeout(() => {
      this.#response.destroy(new Error("back-end is silent"));
    }, SILENCE_MS);
    try {
      const { done, value } = await this.#parts.next();
      return done === true ? null : value;
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    this.#response.destroy();
  }
}

/**
 * Opens a change feed.
 * @param head request line and header lines
 * @throws Error if there is no response
 */
export async function openFeed(
  backEnd: BackEnd,
  head: string,
  signal: AbortSignal,
): Promise<OpenFeed | FeedRefusal> {
  const response = await send(backEnd, head, signal);
  return response.statusCode === 200 ? new OpenFeed(response) : readRefusal(response);
}

async function readRefusal(response: IncomingMessage): Promise<FeedRefusal> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_REFUSAL_BYTES) throw new MalformedResponse("response too large");
    chunks.push(chunk);
  }
  const mediaType = (response.headers["content-type"] ?? "").split(";", 1)[0]!.toLowerCase();
  return { status: response.statusCode!, mediaType, body: Buffer.concat(chunks) };
}

function send(backEnd: BackEnd, head: string, signal: AbortSignal): Promise<IncomingMessage> {
  const [line = "", ...lines] = head.split("\r\n").filter((text) => text !== "");
  const [method, path] = line.split(" ");
  const headers = lines.flatMap((text) => {
    const colon = text.indexOf(":");
    return [text.slice(0, colon), text.slice(colon + 1).trim()];
  });
  const clientRequest = request({
    ...{ method, path, headers, setHost: false, signal },
    maxHeaderSize: MAX_RESPONSE_HEAD_BYTES,
    createConnection: () => backEnd.openStream(),
  });
  const timer = setTimeout(
    () => clientRequest.destroy(new Error("no response in time")),
    SILENCE_MS,
  );
  const responded = new Promise<IncomingMessage>((resolve, reject) => {
    clientRequest.on("response", resolve);
    clientRequest.on("error", reject);
    clientRequest.on("close", () => clearTimeout(timer));
  });
  clientRequest.end();
  return responded.finally(() => clearTimeout(timer));
}
