import type { int, PluginRequest, str } from "svc-server";

/**
 * Greets someone.
 *
 * @plugin
 * @param name who is greeted
 * @param times how often, at most a hundred times
 * @returns one line for each time
 * @example ?name=you&times=2
 */
export function hello(_request: PluginRequest, name: str = "world", times: int = 1): string[] {
  return Array.from({ length: Math.min(times, 100) }, () => `Hello, ${name}!`);
}
