// What runs before plugins: who asks, how often, and whether the answer is known.

import { createHash, timingSafeEqual } from "node:crypto";
import { HttpError, type PluginRequest, RequestData } from "svc-server";

export interface Caller {
  readonly name: string;
  readonly mayOrder: boolean;
}

/** Of each key its SHA-256: whoever reads this file cannot use it. */
const KEYS: readonly (readonly [hash: string, caller: Caller])[] = [
  [sha256("let-me-see").toString("hex"), { name: "reader", mayOrder: false }],
  [sha256("let-me-buy").toString("hex"), { name: "buyer", mayOrder: true }],
];

export const caller = new RequestData<Caller>("caller");

/** An API key, compared in a time that tells nothing of it: `Authorization: Bearer …`. */
export function auth(request: PluginRequest): void {
  const [, key = ""] = /^Bearer (.+)$/i.exec(request.header("Authorization") ?? "") ?? [];
  const given = sha256(key);
  const found = KEYS.filter(([hash]) => timingSafeEqual(Buffer.from(hash, "hex"), given));
  if (found.length === 0) throw new Unauthorized();
  caller.set(request, found[0]![1]);
}

export class Unauthorized extends HttpError {
  constructor() {
    super(401, "an API key is needed: `Authorization: Bearer <key>`");
  }
}

export function mayOrder(request: PluginRequest): void {
  const { name, mayOrder } = caller.get(request);
  if (!mayOrder) throw new HttpError(403, `${name} may not order`);
}

const PER_MINUTE = 100;
const MAX_CALLERS = 10_000;
const used = new Map<string, { readonly minute: number; count: number }>();

/** So many requests a minute and caller, counted by each executor for itself. */
export function limitRate(request: PluginRequest): void {
  const { name } = caller.get(request);
  const minute = Math.floor(Date.now() / 60_000);
  const now = used.get(name);
  const current = now?.minute === minute ? now : { minute, count: 0 };
  if (current.count++ >= PER_MINUTE) throw new HttpError(429, "too many requests this minute");
  if (used.size >= MAX_CALLERS) used.clear();
  used.set(name, current);
}

const answers = new Map<string, unknown>();

/** Answers of read-only plugins that are known already; the plugin is not called then. */
export function fromCache(request: PluginRequest): unknown {
  return answers.get(request.signature);
}

/** Keeps an answer for those who ask the same. */
export function keep<T>(request: PluginRequest, answer: T): T {
  if (answers.size >= MAX_CALLERS) answers.clear();
  answers.set(request.signature, answer);
  return answer;
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
