// Generates articles and purchases: the same ones in every run.

import type { Article } from "./article.js";

/** Properties of an article, as the graph stores them. */
export type Stored = {
  title: string;
  description: string;
  brand: string;
  category: string;
  price: number;
};

export interface GeneratedArticle {
  readonly number: Article;
  readonly stored: Stored;
  readonly vector: readonly number[];
}

export interface Purchase {
  readonly buyer: string;
  readonly article: Article;
}

const COMPONENTS = 32;
export const MAX_PER_CATEGORY = 10_000;
const CATEGORIES = split(
  "boots,cameras,desks,headphones,jackets,lamps,phones,rackets,tents,watches",
);
const COLORS = split("black,blue,green,grey,orange,red,silver,white,yellow");
const QUALITIES = split("compact,durable,folding,light,padded,portable,robust,slim,waterproof");
const USES = split(
  "children,cities,everyday use,experts,gifts,long trips,mountains,the office,winter",
);
const BRANDS = split("Aalto,Borea,Cassin,Delvo,Ekberg,Fjord,Garda,Hallin,Ibex,Juno,Kestrel,Lumo");

/** Generates articles, as many of each category. */
export function* generateArticles(perCategory: number): Generator<GeneratedArticle> {
  const random = createRandom(34);
  const draw = (items: readonly string[]): string => items[Math.floor(random() * items.length)]!;
  const spread = (width: number): number => (random() + random() - 1) * width;
  for (const category of CATEGORIES) {
    const center = Array.from({ length: COMPONENTS }, () => spread(1));
    for (let count = 0; count < perCategory; count++) {
      const brand = draw(BRANDS);
      const quality = draw(QUALITIES);
      const second = draw(QUALITIES.filter((other) => other !== quality));
      yield {
        number: articleNumber(category, count),
        stored: {
          title: `${brand} ${quality} ${category} ${draw(COLORS)}`,
          description: `Made for ${draw(USES)}: ${quality} and ${second}.`,
          ...{ brand, category },
          price: 10 + Math.floor(random() ** 2 * 490),
        },
        vector: center.map((component) => component + spread(0.5)),
      };
    }
  }
}

/** Generates purchases. Each buyer prefers one category and its first articles. */
export function* generatePurchases(buyers: number, perCategory: number): Generator<Purchase> {
  const random = createRandom(38);
  for (let buyer = 0; buyer < buyers; buyer++) {
    const favorite = Math.floor(random() * CATEGORIES.length);
    for (let count = 0; count < 6; count++) {
      const other = Math.floor(random() * CATEGORIES.length);
      const category = CATEGORIES[random() < 0.8 ? favorite : other]!;
      const article = articleNumber(category, Math.floor(random() ** 3 * perCategory));
      yield { buyer: `buyer ${buyer}`, article };
    }
  }
}

function articleNumber(category: string, count: number): Article {
  return `${category.slice(0, 2)}-${String(count).padStart(4, "0")}`;
}

function split(text: string): string[] {
  return text.split(",");
}

/** Returns a generator of numbers from 0 to 1 that repeats for equal seeds. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
