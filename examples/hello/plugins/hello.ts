// The first service: three ways to write a plugin. Run it with `npm start` in the repository.

import type { PluginRequest } from "svc-server";
import { type bytes, type float, type int, PluginResponse, plugin, type str } from "svc-server";

/**
 * Greets someone. All parameters have defaults, so a bare GET or POST works.
 *
 * @plugin
 * @param name who is greeted
 * @param times how often
 */
export function hello(_request: PluginRequest, name: str = "world", times: int = 1): string[] {
  return Array.from({ length: Math.min(times, 100) }, () => `Hello, ${name}!`);
}

/**
 * Raises a number to a power.
 *
 * @plugin
 */
export function power(_request: PluginRequest, base: float, exponent: int = 2): number {
  return base ** exponent;
}

/**
 * Computes the SHA-256 of what is posted, in hexadecimal digits.
 *
 * @plugin
 */
export async function sha256(_request: PluginRequest, content: bytes): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", content);
  return Buffer.from(digest).toString("hex");
}

const CITIES: readonly (readonly [string, int])[] = [
  ["Bergen", 291940],
  ["Drammen", 104487],
  ["Oslo", 717710],
  ["Stavanger", 149048],
  ["Trondheim", 214565],
];

/** Lists Norwegian cities whose name contains `q`, sorted by name. */
export const search = plugin(
  { name: "search" },
  (_request: PluginRequest, q: str, n: int = 10): PluginResponse<string, { population: int }> => {
    const found = CITIES.filter(([name]) => name.toLowerCase().includes(q.toLowerCase()));
    const response = new PluginResponse<string, { population: int }>();
    for (const [name, population] of found.slice(0, n)) response.append(name, { population });
    return response;
  },
);
