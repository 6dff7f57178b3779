import type { int, PluginRequest, str } from "svc-server";

/**
 * Greets someone.
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
