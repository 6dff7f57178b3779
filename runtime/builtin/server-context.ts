// How the built-in plugins get at the server they run in: they are called like any plugin, with
// nothing but a request. Set once per IO thread.

import type { ServerView } from "./server-view.js";

let current: ServerView | null = null;

export function setServerView(view: ServerView): void {
  current = view;
}

export function serverView(): ServerView {
  if (current === null) throw new Error("built-in plugins run inside a started server only");
  return current;
}
