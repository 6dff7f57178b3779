// Which page is shown, and its state: both are the address, so that a link to what is seen can be
// shared. The last part of the path names the page, the query holds its state.

import { signal } from "@preact/signals";

const PAGES = ["system", "status", "plugin", "requests", "search", "matrix"] as const;
export type Page = (typeof PAGES)[number];

interface Place {
  readonly page: Page;
  readonly params: URLSearchParams;
}

function placeOf(path: string, query: string): Place {
  const name = path.slice(path.lastIndexOf("/") + 1).replace(/\.html$/, "");
  const page = PAGES.find((known) => known === name) ?? "system";
  return { page, params: new URLSearchParams(query) };
}

/** Where we are. */
export const place = signal<Place>(placeOf(location.pathname, location.search));

addEventListener("popstate", () => {
  place.value = placeOf(location.pathname, location.search);
});

/** Goes to a page such as `plugin?name=hello`. */
export function go(address: string): void {
  history.pushState(null, "", address);
  place.value = placeOf(location.pathname, location.search);
}

/** Changes the state of this page without a step in the history. */
export function keep(params: URLSearchParams): void {
  const query = params.toString();
  const { page } = place.value;
  history.replaceState(null, "", query === "" ? page : `${page}?${query}`);
  place.value = { page, params };
}
