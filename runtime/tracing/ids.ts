// Ids of traces and spans: random bytes as hexadecimal digits, drawn from the system in one go for
// many of them.

import { randomFillSync } from "node:crypto";

const POOL = Buffer.alloc(4096);
let at = POOL.length;

export function traceId(): string {
  return hex(16);
}

export function spanId(): string {
  return hex(8);
}

function hex(bytes: number): string {
  if (at + bytes > POOL.length) {
    randomFillSync(POOL);
    at = 0;
  }
  at += bytes;
  return POOL.toString("hex", at - bytes, at);
}
