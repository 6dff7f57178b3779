// Pictures of articles: files of a form, stored as properties in the graph. Content decides about
// the type of a picture, because clients state any.

import type { PluginRequest, UploadedFile } from "svc-server";
import { type Graph, HttpError, HttpResponse, type int } from "svc-server";
import type { Article } from "../src/article.js";
import { UnknownArticle } from "./catalog.js";

const MAX_BYTES = 256 * 1024;
/** First bytes of each type. */
const TYPES = [
  ["image/png", [0x89, 0x50, 0x4e, 0x47]],
  ["image/jpeg", [0xff, 0xd8, 0xff]],
] as const;

type PictureType = (typeof TYPES)[number][0];

/**
 * Replaces the picture of an article.
 *
 * @plugin
 * @graph shop
 * @before src/guards.ts#auth
 * @before src/guards.ts#mayOrder
 * @throws {UnknownArticle} the article does not exist
 */
export async function addPicture(
  _request: PluginRequest,
  graph: Graph,
  article: Article,
  picture: UploadedFile,
): Promise<{ type: PictureType; bytes: int }> {
  if (picture.size > MAX_BYTES) throw new HttpError(413, "a picture has at most 256 KiB");
  const bytes = await picture.bytes();
  const type = typeOf(bytes);
  if (type === null) throw new HttpError(415, "a picture is a PNG or a JPEG file");
  if (!graph.hasVertex(article)) throw new UnknownArticle(article);
  using vertex = graph.openVertex(article, "w");
  vertex.setProperty("picture", bytes);
  return { type, bytes: bytes.length };
}

/** Returns the picture of an article. @plugin @graph shop @readonly */
export function picture(
  _request: PluginRequest,
  graph: Graph,
  article: Article,
): HttpResponse<PictureType> {
  if (!graph.hasVertex(article)) throw new UnknownArticle(article);
  using vertex = graph.getVertex(article);
  const bytes = vertex.getProperty("picture", null);
  const type = bytes instanceof Uint8Array ? typeOf(bytes) : null;
  if (type === null) throw new HttpError(404, `no picture of ${article}`);
  const headers = { "X-Content-Type-Options": "nosniff", "Cache-Control": "max-age=60" };
  return new HttpResponse(bytes as Uint8Array, { type, headers });
}

function typeOf(bytes: Uint8Array): PictureType | null {
  const found = TYPES.find(([, start]) => start.every((byte, index) => bytes[index] === byte));
  return found?.[0] ?? null;
}
