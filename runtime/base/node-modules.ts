// Modules of Node.js that few processes need, loaded when they are first used: importing them costs
// 3 ms in each thread, and 20 ms from Node.js 22 on, where names of `node:http` load a client.

type Http = typeof import("node:http");
type Https = typeof import("node:https");
type Tls = typeof import("node:tls");

export function http(): Http {
  return process.getBuiltinModule("node:http");
}

export function https(): Https {
  return process.getBuiltinModule("node:https");
}

export function tls(): Tls {
  return process.getBuiltinModule("node:tls");
}
