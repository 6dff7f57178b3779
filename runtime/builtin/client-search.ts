// Limits of searches, facets and highlights that clients request over HTTP.

import { ParameterError } from "../base/errors.js";

/** Maximum number of values of one facet. */
const MAX_CLIENT_FACET_VALUES = 1000;
/** Maximum of `hits` and `offset` together. */
const MAX_CLIENT_HITS = 10_000;

/** @throws ParameterError for a facet with more values than clients may request */
export function limitFacets({ facets }: { readonly facets?: unknown }): void {
  if (typeof facets !== "object" || facets === null) return;
  for (const [name, facet] of Object.entries(facets)) {
    const top: unknown =
      typeof facet === "object" ? (facet as { top?: unknown } | null)?.top : facet;
    if (typeof top !== "number" || top <= MAX_CLIENT_FACET_VALUES) continue;
    const reason = `facet '${name}' has ${top} values; the maximum is ${MAX_CLIENT_FACET_VALUES}`;
    throw new ParameterError("QueryError", `facets (${reason} over HTTP)`);
  }
}

/** @throws ParameterError for a search with more hits than clients may request */
export function limitHits(options: { readonly hits?: unknown; readonly offset?: unknown }): void {
  const { hits, offset } = options;
  const total = Math.max(Number(hits ?? 0), 0) + Math.max(Number(offset ?? 0), 0);
  if (!(total > MAX_CLIENT_HITS)) return;
  const reason = `hits and offset are ${total} together; the maximum is ${MAX_CLIENT_HITS}`;
  throw new ParameterError("QueryError", `hits (${reason} over HTTP: page with a cursor)`);
}
