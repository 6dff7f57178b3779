// Current page and its state. Both are in the address, so that users can share a link to what they
// see. The last part of the path names the page, and the query contains its state. The fragment
// contains the body of a request, because browsers never send it to a server.

import { signal } from "@preact/signals";

const PAGES = [
  "system",
  "status",
  "plugin",
  "requests",
  "search",
  "text",
  "matrix",
  "replication",
  "jobs",
  "logs",
  "admin",
] as const;
export type Page = (typeof PAGES)[number];

/** Paths of the interface that show the page of another. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ["index", "system"],
  ["console", "admin"],
]);

interface Place {
  readonly page: Page;
  readonly params: URLSearchParams;
  /** Of the request on it. */
  readonly body: string;
}

function parsePlace(path: string, query: string, fragment: string): Place {
  const name = path.slice(path.lastIndexOf("/") + 1).replace(/\.html$/, "");
  const pageName = ALIASES.get(name) ?? name;
  const page = PAGES.find((known) => known === pageName) ?? "system";
  const body = new URLSearchParams(fragment.slice(1)).get("body") ?? "";
  return { page, params: new URLSearchParams(query), body };
}

function placeNow(): Place {
  return parsePlace(location.pathname, location.search, location.hash);
}

/** The current page and its state. */
export const currentRoute = signal<Place>(placeNow());

addEventListener("popstate", () => {
  currentRoute.value = placeNow();
});

/** Goes to a page such as `plugin?name=hello`. */
export function navigate(address: string): void {
  history.pushState(null, "", address);
  currentRoute.value = placeNow();
}

/** Changes the state of this page without a step in the history. */
export function saveState(params: URLSearchParams, body = currentRoute.value.body): void {
  const query = params.toString();
  const { page } = currentRoute.value;
  const fragment = body === "" ? "" : `#${new URLSearchParams({ body })}`;
  history.replaceState(null, "", (query === "" ? page : `${page}?${query}`) + fragment);
  currentRoute.value = { page, params, body };
}

/** Changes one part of the state; an empty text removes it. */
export function saveStatePart(name: string, text: string): void {
  const params = new URLSearchParams(currentRoute.value.params);
  if (text === "") params.delete(name);
  else params.set(name, text);
  saveState(params);
}
