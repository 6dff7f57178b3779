// Fills the shop with generated products and purchases: the same ones in every run.
//
//   node seed.mjs [--products 2000] [--users 500] [--purchases 10000] [--root data]

import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Graph, system } from "svc-server";

const { values } = parseArgs({
  options: {
    products: { type: "string", default: "2000" },
    users: { type: "string", default: "500" },
    purchases: { type: "string", default: "10000" },
    root: { type: "string", default: fileURLToPath(new URL("data", import.meta.url)) },
  },
});
const [products, users, purchases] = [values.products, values.users, values.purchases].map(Number);

const split = (text) => text.split(",");
const CATEGORIES = split(
  "boots,cameras,desks,headphones,jackets,lamps,phones,rackets,tents,watches",
);
const COLORS = split("black,blue,green,grey,orange,red,silver,white,yellow");
const QUALITIES = split("compact,durable,folding,light,padded,portable,robust,slim,waterproof");
const USES = split("children,cities,everyday,experts,gifts,long trips,mountains,offices,winter");
const BRANDS = split("Aalto,Borea,Cassin,Delvo,Ekberg,Fjord,Garda,Hallin,Ibex,Juno,Kestrel,Lumo");
const COMPONENTS = 32;
const BATCH = 5000;

let state = 34;
/** A number from 0 to 1; the sequence is always the same. */
function random() {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
}
const draw = (items) => items[Math.floor(random() * items.length)];
const spread = (width) => (random() + random() - 1) * width;
const centers = CATEGORIES.map(() => Array.from({ length: COMPONENTS }, () => spread(1)));
const idOf = (number) => `p${String(number).padStart(6, "0")}`;

/** Products of a category have every tenth number. */
function product(number) {
  const at = number % CATEGORIES.length;
  const [category, brand, quality] = [CATEGORIES[at], draw(BRANDS), draw(QUALITIES)];
  const properties = {
    title: `${brand} ${quality} ${category} ${draw(COLORS)}`,
    description: `Made for ${draw(USES)}, ${draw(QUALITIES)}.`,
    ...{ brand, category, price: 10 + Math.floor(random() ** 2 * 490) },
  };
  const vector = centers[at].map((component) => component + spread(0.5));
  return { id: idOf(number), type: "product", properties, vector };
}

/** A user prefers one category, and everybody its first products. */
function purchase(number) {
  const user = number % users;
  const at = random() < 0.8 ? user % CATEGORIES.length : Math.floor(random() * CATEGORIES.length);
  const place = Math.floor((random() ** 2 * products) / CATEGORIES.length);
  return [`@user${user}`, idOf(Math.min(place * CATEGORIES.length + at, products - 1))];
}

/** Calls `add` with the numbers of one batch after the other. */
function inBatches(count, add) {
  for (let from = 0; from < count; from += BATCH) {
    const length = Math.min(BATCH, count - from);
    add(Array.from({ length }, (_, at) => from + at));
  }
}

await system.initialize("seed", { root: values.root });
const graph = new Graph("shop");
inBatches(products, (numbers) => graph.createVertices(numbers.map(product)));
inBatches(purchases, (numbers) => {
  graph.batch(() => {
    for (const [user, id] of numbers.map(purchase)) graph.count(user, "bought", id);
  });
});
graph.save();
console.log(`${graph.order} vertices, ${graph.size} arcs`);
await system.unload();
