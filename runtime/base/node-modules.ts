// Modules of Node.js that few processes need, loaded when they are first used: importing them costs
// 3 ms in each thread, and 20 ms from Node.js 22 on, where names of `node:http` load a client.

import { createRequire } from "node:module";

// `process.getBuiltinModule` is missing before Node.js 22.3.
const load = createRequire(import.meta.url);

type Http = typeof import("node:http");
type Https = typeof import("node:https");
type Tls = typeof import("node:tls");

export function http(): Http {
  return load("node:http") as Http;
}

export function https(): Https {
  return load("node:https") as Https;
}

export function tls(): Tls {
  return load("node:tls") as Tls;
}
