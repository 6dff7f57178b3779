// Data that instances of a matrix exchange about themselves: entries of the responses of Identify,
// MatrixObjects and matrixplugins.

import type { SortKey } from "../base/sort-order.js";
import type { PluginDescription } from "../plugin/contract/plugin-entry.js";
import { PluginResponse } from "../plugin/response/plugin-response.js";
import type { ServerView } from "./server-view.js";

/** Sort keys subtract levels from this, so that higher levels come first. */
const MAX_LISTED_LEVEL = 0xff;

export interface ObjectCounts {
  readonly order: number;
  readonly size: number;
  readonly properties: number;
  readonly vectors: number;
}

export interface Identity {
  /** Formatted as a tuple. */
  readonly ident: string;
  readonly address: string;
  readonly hostname: string;
}

type Location = "engine" | "dispatch" | "top-dispatch";

export type ListedPlugin = PluginDescription & {
  readonly matrix: { readonly location: Location; readonly level: number };
};

/** Returns a response with these entries, which are in ascending order. */
export function response<K extends SortKey, T>(
  entries: Iterable<readonly [K, T]>,
): PluginResponse<K, T> {
  const merged = new PluginResponse<K, T>();
  for (const [key, item] of entries) merged.append(key, item);
  return merged;
}

/** @param ident of the request, or of the merged response */
export function describeInstance(
  { host, basePort }: ServerView,
  ident: readonly number[],
): Identity {
  return {
    ident: `(${ident.join(", ")})`,
    address: `${host.ip}:${basePort}`,
    hostname: host.name,
  };
}

/** Lists the user plugins of this instance, by path and level. */
export function listedPlugins(
  view: ServerView,
  location: Location,
  level: number,
): [key: string, plugin: ListedPlugin][] {
  const rank = Math.max(0, MAX_LISTED_LEVEL - level)
    .toString(16)
    .padStart(4, "0");
  return view.plugins().map((plugin) => {
    return [`${plugin.path} [${rank}]`, { matrix: { location, level }, ...plugin }];
  });
}
