// A shop with untrusted callers: constraints on parameters.

import { HttpError, type int, type PluginRequest, type str } from "svc-server";
import type { Article } from "../src/article.js";

interface Line {
  article: Article;
  /** @minimum 1 @maximum 99 */
  count: int;
}

interface Order {
  /** @format email */
  mail: str;
  /** @minItems 1 @maxItems 20 */
  lines: Line[];
}

const PRICES: Readonly<Record<Article, int>> = { "ab-1000": 1990, "ab-2000": 250, "cd-1000": 7900 };

/**
 * Returns the price of an article in cents.
 *
 * @plugin
 * @readonly
 * @throws {NoSuchArticle} the article does not exist
 */
export function price(_request: PluginRequest, article: Article): int {
  const cents = Object.hasOwn(PRICES, article) ? PRICES[article] : undefined;
  if (cents === undefined) throw new NoSuchArticle(article);
  return cents;
}

/** Responds with 404. */
export class NoSuchArticle extends HttpError {
  constructor(article: Article) {
    super(404, `no article ${article}`, { article });
  }
}

/**
 * Lists articles by pages.
 *
 * @plugin
 * @readonly
 * @minimum page 1
 */
export function articles(
  _request: PluginRequest,
  page: int = 1,
  /** articles per page @minimum 1 @maximum 100 */ size: int = 10,
): Article[] {
  return Object.keys(PRICES).slice((page - 1) * size, page * size);
}

/** Returns the total of an order in cents. @plugin @readonly */
export function total(_request: PluginRequest, content: Order): int {
  return content.lines.reduce((sum, { article, count }) => sum + (PRICES[article] ?? 0) * count, 0);
}

/** Streams prices. @plugin @readonly */
export async function* prices(
  _request: PluginRequest,
  /** @maxItems 100 */ articles: Article[],
): AsyncGenerator<{ article: Article; cents: int | null }> {
  for (const article of articles) yield { article, cents: PRICES[article] ?? null };
}
