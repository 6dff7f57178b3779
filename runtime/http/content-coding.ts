// Content negotiation of codings: what the client accepts (RFC 9110, section 12.5.3) and which
// media types are worth compressing.

import * as zlib from "node:zlib";

export type ContentCoding = "zstd" | "br" | "gzip";

type Compress = (bytes: Uint8Array, done: (error: Error | null, result: Buffer) => void) => void;

const BROTLI = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } };

/** Undefined in older releases of Node. */
const { zstdCompress } = zlib as { zstdCompress?: Compress };

/** In order of preference; all are fast enough to run for each response. */
const CODINGS = new Map<ContentCoding, Compress>([
  ...(zstdCompress === undefined ? [] : ([["zstd", zstdCompress]] as const)),
  ["br", (bytes, done) => zlib.brotliCompress(bytes, BROTLI, done)],
  ["gzip", (bytes, done) => zlib.gzip(bytes, done)],
]);

/** Beyond what real clients send. */
const MAX_ACCEPTED = 32;
const MAX_FIELD = 1000;
const QUALITY = /^q=([01](?:\.\d{0,3})?)$/;
/** Text formats. */
const COMPRESSIBLE = new RegExp(
  [
    "^text/(?!event-stream)",
    "^application/(?:[\\w.-]+\\+)?(?:json|xml|javascript|wasm)$",
    "^application/(?:x-ndjson|rtf|x-sh|sql|toml|yaml)$",
    "^image/(?:svg\\+xml|bmp|x-icon)$",
    "^font/(?:ttf|otf)$",
  ].join("|"),
);

/**
 * Returns whether content of this type is worth compressing.
 * @param mediaType with or without parameters
 */
export function isCompressible(mediaType: string): boolean {
  return COMPRESSIBLE.test(mediaType.split(";", 1)[0]!.trim().toLowerCase());
}

/**
 * Returns the coding with the client's highest quality value, on a tie the server's preferred one;
 * null for none.
 * @param field value of `Accept-Encoding`
 */
export function negotiateCoding(field: string | undefined): ContentCoding | null {
  if (field === undefined || field.length > MAX_FIELD) return null;
  const qualities = new Map<string, number>();
  for (const item of field.toLowerCase().split(",", MAX_ACCEPTED)) {
    const [name = "", ...parameters] = item.split(";").map((part) => part.trim());
    qualities.set(name, qualityOf(parameters));
  }
  const others = qualities.get("*") ?? 0;
  const plain = qualities.get("identity") ?? 0;
  let best: ContentCoding | null = null;
  let bestQuality = 0;
  for (const coding of CODINGS.keys()) {
    const quality = qualities.get(coding) ?? others;
    if (quality > bestQuality && quality >= plain) [best, bestQuality] = [coding, quality];
  }
  return best;
}

/** Malformed quality values count as 0. */
function qualityOf(parameters: readonly string[]): number {
  const quality = parameters.find((parameter) => parameter.startsWith("q="));
  if (quality === undefined) return 1;
  return Math.min(1, Number(QUALITY.exec(quality)?.[1] ?? 0));
}

/** Resolves with null if compression fails. */
export function compress(coding: ContentCoding, bytes: Uint8Array): Promise<Uint8Array | null> {
  return new Promise((resolve) => {
    CODINGS.get(coding)!(bytes, (error, result) => resolve(error === null ? result : null));
  });
}
