// The graph of the shop:
//
//   "@ann" -[ bought <M_CNT> times ]-> "p000012" { title, description, brand, category, price }

import { type float, type Graph, HttpError, type str } from "svc-server";

/** Number of a product. @pattern ^p\d{6}$ */
export type ProductId = str;

export interface Shop {
  vertices: {
    product: {
      title: str;
      description: str;
      brand: str;
      category: str;
      price: float;
      /** media type; the bytes are in a vertex of their own */
      picture?: str;
    };
    picture: { bytes: Uint8Array };
    user: { password: str };
    session: { user: str };
    /** exists for an hour */
    sale: { product: ProductId };
    ranking: { products: ProductId[] };
  };
  relationships: "bought";
}

/** What lists show of a product. */
export interface Card {
  id: ProductId;
  title: str;
  price: float;
  hasPicture: boolean;
}

export function card(graph: Graph<Shop>, id: ProductId): Card {
  if (!graph.hasVertex(id)) throw new UnknownProduct(id);
  const product = graph.getVertex<"product">(id);
  return {
    id,
    title: product.requireProperty("title"),
    price: product.requireProperty("price"),
    hasPicture: product.hasProperty("picture"),
  };
}

/** Returned as 404. */
export class UnknownProduct extends HttpError {
  constructor(product: ProductId) {
    super(404, `no product ${product}`, { product });
  }
}
