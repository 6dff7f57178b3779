// Hooks: authentication, authorization, rate limit and cache.

import { createHash, timingSafeEqual } from "node:crypto";
import { HttpError, type PluginRequest, RequestData } from "svc-server";

export interface Caller {
  readonly name: string;
  readonly mayOrder: boolean;
}

/** Hashes of the keys: the keys cannot be derived from this file. */
const KEYS: readonly (readonly [hash: string, caller: Caller])[] = [
  [sha256("let-me-see").toString("hex"), { name: "reader", mayOrder: false }],
  [sha256("let-me-buy").toString("hex"), { name: "buyer", mayOrder: true }],
];

export const caller = new RequestData<Caller>("caller");

/** Checks the API key in `Authorization: Bearer …`, in constant time. */
export function auth(request: PluginRequest): void {
  const [, key = ""] = /^Bearer (.+)$/i.exec(request.header("Authorization") ?? "") ?? [];
  const given = sha256(key);
  const found = KEYS.filter(([hash]) => timingSafeEqual(Buffer.from(hash, "hex"), given));
  if (found.length === 0) throw new Unauthorized();
  caller.set(request, found[0]![1]);
}

export class Unauthorized extends HttpError {
  constructor() {
    super(401, "missing or unknown API key: send `Authorization: Bearer <key>`");
  }
}

export function mayOrder(request: PluginRequest): void {
  const { name, mayOrder } = caller.get(request);
  if (!mayOrder) throw new HttpError(403, `${name} may not order`);
}

const PER_MINUTE = 100;
const MAX_CALLERS = 10_000;
const used = new Map<string, { readonly minute: number; count: number }>();

/** Limits requests per minute and caller; each executor counts its own. */
export function limitRate(request: PluginRequest): void {
  const { name } = caller.get(request);
  const minute = Math.floor(Date.now() / 60_000);
  const now = used.get(name);
  const current = now?.minute === minute ? now : { minute, count: 0 };
  if (current.count++ >= PER_MINUTE) throw new HttpError(429, "too many requests this minute");
  if (used.size >= MAX_CALLERS) used.clear();
  used.set(name, current);
}

const responses = new Map<string, unknown>();

/** Returns the cached response, if there is one; then the plugin is not called. */
export function fromCache(request: PluginRequest): unknown {
  return responses.get(request.signature);
}

/** Caches the response of a request. */
export function keep<T>(request: PluginRequest, response: T): T {
  if (responses.size >= MAX_CALLERS) responses.clear();
  responses.set(request.signature, response);
  return response;
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
