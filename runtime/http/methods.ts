// Which methods each kind of resource takes, in the order in which `Allowed` lists them
// (http-interface, "HTTP methods").

import type { Method } from "./transport.js";

export type ResourceKind = "plugin" | "change" | "control" | "service" | "file" | "server";

const ALLOWED: Readonly<Record<ResourceKind, readonly Method[]>> = {
  plugin: ["OPTIONS", "GET", "POST"],
  /** A built-in plugin that changes something: links and images of pages send GET. */
  change: ["OPTIONS", "POST"],
  /** A built-in plugin for operators: it needs a token, which pages cannot get. */
  control: ["OPTIONS", "GET", "POST"],
  service: ["OPTIONS", "GET"],
  file: ["OPTIONS", "GET", "HEAD"],
  /** The target `*`: the server as a whole. */
  server: ["OPTIONS", "GET", "HEAD", "POST"],
};

/** Methods that a kind of resource takes; everything else is answered with 405. */
export function allowedMethods(kind: ResourceKind): readonly Method[] {
  return ALLOWED[kind];
}
