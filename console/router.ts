// Which page is shown, and its state: both are the address, so that a link to what is seen can be
// shared. The last part of the path names the page, the query holds its state, and the fragment,
// which no server and no log ever sees, the body of a request.

import { signal } from "@preact/signals";

export const PAGES = [
  "index",
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

interface Place {
  readonly page: Page;
  readonly params: URLSearchParams;
  /** Of the request on it. */
  readonly body: string;
}

function placeOf(path: string, query: string, fragment: string): Place {
  const name = path.slice(path.lastIndexOf("/") + 1).replace(/\.html$/, "");
  // Commands are given on the page of operations.
  const wanted = name === "console" ? "admin" : name;
  const page = PAGES.find((known) => known === wanted) ?? "index";
  const body = new URLSearchParams(fragment.slice(1)).get("body") ?? "";
  return { page, params: new URLSearchParams(query), body };
}

function placeNow(): Place {
  return placeOf(location.pathname, location.search, location.hash);
}

/** Where we are. */
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

/** The same for one part of the state; an empty text takes it away. */
export function saveStatePart(name: string, text: string): void {
  const params = new URLSearchParams(currentRoute.value.params);
  if (text === "") params.delete(name);
  else params.set(name, text);
  saveState(params);
}
