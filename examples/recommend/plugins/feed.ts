// Generates a shop: items of 40 categories, each with a price and a vector, and arcs from each item
// to items bought with it. Every run generates the same data.
//
//   "item 7" -[ bought <M_INT> times ]-> "item 42"

import { type Graph, type int, M_INT, type PluginRequest } from "svc-server";

export const COMPONENTS = 64;
const CATEGORIES = 40;
const BOUGHT_WITH = 4;
const MAX_ITEMS = 1_000_000;

/** Size of the graph. */
interface Fed {
  vertices: int;
  arcs: int;
  vectors: int;
}

/**
 * Creates the items of the shop and an index of their vectors.
 *
 * @plugin
 * @graph shop
 * @param items number of items
 * @example curl -X POST "http://127.0.0.1:9000/svc/plugin/feed"
 */
export function feed(_request: PluginRequest, graph: Graph, items: int = 50_000): Fed {
  const count = Math.max(1, Math.min(items, MAX_ITEMS));
  const random = randomNumbers(1);
  const centers = Array.from({ length: CATEGORIES }, () => around(random, null));
  graph.index("vectors", { length: COMPONENTS });
  for (let item = 0; item < count; item++) {
    const category = item % CATEGORIES;
    const properties = { category: `category ${category}`, price: 5 + Math.floor(random() * 95) };
    const vector = around(random, centers[category] ?? null);
    graph.createVertex(`item ${item}`, { type: "item", properties, vector });
  }
  for (let item = 0; item < count; item++) {
    for (let other = 1; other <= BOUGHT_WITH; other++) {
      // Two of the same category, and two of any category.
      const far = other <= 2 ? CATEGORIES * Math.ceil(random() * 9) : Math.ceil(random() * count);
      const times = 1 + Math.floor(random() * 20);
      graph.connect(`item ${item}`, ["bought", M_INT, times], `item ${(item + far) % count}`);
    }
  }
  return { vertices: graph.order, arcs: graph.size, vectors: graph.objcnt.vectors };
}

/** Returns a vector near a center. */
function around(random: () => number, center: readonly number[] | null): number[] {
  return Array.from({ length: COMPONENTS }, (_, index) => {
    const noise = random() + random() - 1;
    return center === null ? noise : (center[index] ?? 0) + noise * 0.7;
  });
}

/** Returns a generator of numbers from 0 to 1, the same in every run. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
