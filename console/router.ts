// Which page is shown, and its state: both are the address, so that a link to what is seen can be
// shared. The last part of the path names the page, the query holds its state.

import { signal } from "@preact/signals";

export const PAGES = [
  "index",
  "system",
  "status",
  "plugin",
  "requests",
  "search",
  "matrix",
  "replication",
  "logs",
  "admin",
] as const;
export type Page = (typeof PAGES)[number];

interface Place {
  readonly page: Page;
  readonly params: URLSearchParams;
}

function placeOf(path: string, query: string): Place {
  const name = path.slice(path.lastIndexOf("/") + 1).replace(/\.html$/, "");
  // Commands are given on the page of operations.
  const wanted = name === "console" ? "admin" : name;
  const page = PAGES.find((known) => known === wanted) ?? "index";
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

/** The same for one part of the state; an empty text takes it away. */
export function keepPart(name: string, text: string): void {
  const params = new URLSearchParams(place.value.params);
  if (text === "") params.delete(name);
  else params.set(name, text);
  keep(params);
}
