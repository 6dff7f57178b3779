// The first service: three ways to write a plugin. Run it with `npm start` in the repository.

import type { PluginRequest } from "svc-server";
import { type bytes, type float, type int, PluginResponse, plugin, type str } from "svc-server";

/**
 * Greets someone. All parameters have defaults, so a bare GET or POST works.
 *
 * @plugin
 * @param name person to greet
 * @param times number of greetings, at most 100
 * @returns one line per greeting
 * @example ?name=you&times=2
 */
export function hello(_request: PluginRequest, name: str = "world", times: int = 1): string[] {
  return Array.from({ length: Math.min(times, 100) }, () => `Hello, ${name}!`);
}

/**
 * Raises a number to a power.
 *
 * @plugin
 * @readonly
 * @param base any number
 * @param exponent defaults to the square
 * @example power({ base: 1.5, exponent: 3 })
 */
export function power(_request: PluginRequest, base: float, exponent: int = 2): number {
  return base ** exponent;
}

/**
 * Computes the SHA-256 hash of the request body.
 *
 * @plugin
 * @readonly
 * @param content any bytes
 * @returns 64 hexadecimal digits
 * @example curl --data-binary "@photo.jpg" http://127.0.0.1:9000/svc/plugin/sha256
 * @example await client.sha256({ content: await readFile("photo.jpg") })
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

/** Properties of a city. */
interface City {
  /** inhabitants */
  population: int;
}

/**
 * Lists Norwegian cities, sorted by name.
 *
 * @param q part of the name, case-insensitive
 * @param n maximum number of cities
 * @example search({ q: "er", n: 5 })
 */
export const search = plugin(
  { name: "search", readonly: true },
  (_request: PluginRequest, q: str, n: int = 10): PluginResponse<string, City> => {
    const found = CITIES.filter(([name]) => name.toLowerCase().includes(q.toLowerCase()));
    const response = new PluginResponse<string, City>();
    for (const [name, population] of found.slice(0, n)) response.append(name, { population });
    return response;
  },
);
