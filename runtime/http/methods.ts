// Methods of each kind of resource, in the order in which `Allowed` lists them (http-interface,
// "HTTP methods").

import type { Method } from "./transport.js";

export type ResourceKind = "plugin" | "change" | "control" | "service" | "file" | "server";

const ALLOWED: Readonly<Record<ResourceKind, readonly Method[]>> = {
  plugin: ["OPTIONS", "GET", "POST"],
  /** A built-in plugin with side effects: links and images in pages send GET. */
  change: ["OPTIONS", "POST"],
  /** A built-in plugin for operators: it requires a token, which pages cannot get. */
  control: ["OPTIONS", "GET", "POST"],
  service: ["OPTIONS", "GET"],
  file: ["OPTIONS", "GET", "HEAD"],
  /** The target `*`: the whole server. */
  server: ["OPTIONS", "GET", "HEAD", "POST"],
};

/** Returns the methods of a kind of resource; others are answered with 405. */
export function allowedMethods(kind: ResourceKind): readonly Method[] {
  return ALLOWED[kind];
}
