// Pictures: files of a form. The content decides about the type, because clients state any.

import {
  type Graph,
  HttpError,
  HttpResponse,
  type PluginRequest,
  type UploadedFile,
} from "svc-server";
import { NotSignedIn, userOf } from "../src/session.js";
import { type ProductId, type Shop, UnknownProduct } from "../src/shop.js";

const MAX_BYTES = 256 * 1024;
/** First bytes of each type. */
const TYPES = [
  ["image/png", [0x89, 0x50, 0x4e, 0x47]],
  ["image/jpeg", [0xff, 0xd8, 0xff]],
] as const;

type PictureType = (typeof TYPES)[number][0];

/**
 * Replaces the picture of a product that the caller has bought.
 * @plugin @graph shop
 * @throws {NotSignedIn} the caller has no session
 * @throws {UnknownProduct} the product does not exist
 */
export async function addPicture(
  request: PluginRequest,
  graph: Graph<Shop>,
  product: ProductId,
  picture: UploadedFile,
): Promise<PictureType> {
  const user = userOf(request, graph);
  if (user === null) throw new NotSignedIn();
  if (!graph.hasVertex(product)) throw new UnknownProduct(product);
  if (!graph.adjacent(user, "bought", product)) throw new HttpError(403, "buy it first");
  if (picture.size > MAX_BYTES) throw new HttpError(413, "a picture has at most 256 KiB");
  const bytes = await picture.bytes();
  const type = typeOf(bytes);
  if (type === null) throw new HttpError(415, "a picture is a PNG or a JPEG file");
  graph.createVertex(`picture ${product}`, { type: "picture", properties: { bytes } });
  using vertex = graph.openVertex<"product">(product);
  vertex.setProperty("picture", type);
  return type;
}

/** Returns the picture of a product. @plugin @graph shop @readonly */
export function picture(
  _request: PluginRequest,
  graph: Graph<Shop>,
  product: ProductId,
): HttpResponse<PictureType> {
  const id = `picture ${product}`;
  if (!graph.hasVertex(id)) throw new HttpError(404, `no picture of ${product}`);
  const bytes = graph.getVertex<"picture">(id).requireProperty("bytes");
  const headers = { "X-Content-Type-Options": "nosniff", "Cache-Control": "max-age=60" };
  return new HttpResponse(bytes, { type: typeOf(bytes)!, headers });
}

function typeOf(bytes: Uint8Array): PictureType | null {
  const found = TYPES.find(([, start]) => start.every((byte, index) => bytes[index] === byte));
  return found?.[0] ?? null;
}
