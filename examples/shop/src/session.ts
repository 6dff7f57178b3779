// Passwords and sessions. The graph contains only hashes of both, and forgets a session in time.

import { createHash, randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { type Graph, HttpError, type PluginRequest, rateLimit, type str } from "svc-server";
import type { Shop } from "./shop.js";

const LIFESPAN = 30 * 24 * 3600;
const derive = promisify<str, Buffer, number, Buffer>(scrypt);

/** Limits attempts to sign in. */
export const attempts = rateLimit({ by: "client", perMinute: 20, name: "sign-in" });

export async function hashPassword(password: str, salt = randomBytes(16)): Promise<str> {
  return Buffer.concat([salt, await derive(password, salt, 32)]).toString("base64url");
}

export async function isPassword(password: str, hash: str): Promise<boolean> {
  const salt = Buffer.from(hash, "base64url").subarray(0, 16);
  return timingSafeEqual(Buffer.from(await hashPassword(password, salt)), Buffer.from(hash));
}

/** Opens a session. Returns its cookie, which no script can read and no other site can send. */
export function openSession(graph: Graph<Shop>, user: str): str {
  const token = randomBytes(32).toString("base64url");
  const properties = { user };
  graph.createVertex(sessionId(token), { type: "session", lifespan: LIFESPAN, properties });
  return `session=${token}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${LIFESPAN}`;
}

export function closeSession(request: PluginRequest, graph: Graph<Shop>): void {
  graph.deleteVertex(sessionId(tokenOf(request)));
}

/** Returns the caller; null without a session. */
export function userOf(request: PluginRequest, graph: Graph<Shop>): str | null {
  const id = sessionId(tokenOf(request));
  return graph.hasVertex(id) ? graph.getVertex<"session">(id).requireProperty("user") : null;
}

/** Returned as 401. */
export class NotSignedIn extends HttpError {
  constructor() {
    super(401, "sign in first");
  }
}

function tokenOf(request: PluginRequest): str {
  return /(?:^|; )session=([^;]+)/.exec(request.header("Cookie") ?? "")?.[1] ?? "";
}

function sessionId(token: str): str {
  return `session ${createHash("sha256").update(token).digest("base64url")}`;
}
