// Trace and span ids: random bytes in hexadecimal, drawn from the system in batches.

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
