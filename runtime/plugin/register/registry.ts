// The plugins that were added in this thread, by name and by number. Numbers are what requests
// carry between threads, so the number of a removed plugin is not used again.

import type { PluginDescription, PluginEntry, PluginRole } from "../contract/plugin-entry.js";
import type { PathRoutes, PluginList, PluginTable } from "../contract/plugin-table.js";
import type { RegisteredPlugin } from "../contract/registered-plugin.js";
import { liveArgspec } from "./live-argspec.js";
import { type SharedArgspec, shareArgspec } from "./shared-argspec.js";

export class PluginRegistry {
  readonly #entries: (RegisteredPlugin | undefined)[] = [];
  readonly #listeners = new Set<() => void>();

  /** Adds plugins, in place of those that have the same name and do the same work. */
  add(...entries: readonly RegisteredPlugin[]): void {
    for (const entry of entries) {
      const same = this.#entries.findIndex((known) => known !== undefined && collide(known, entry));
      // A request on its way may find the new function under the number of the old one.
      if (same >= 0 && this.#entries[same]!.role === entry.role) {
        this.#entries[same] = entry;
      } else {
        if (same >= 0) this.#entries[same] = undefined;
        this.#entries.push(entry);
      }
    }
    this.#changed();
  }

  /** Removes the plugins of a name, whatever their role. Returns false when there are none. */
  remove(name: string): boolean {
    let found = false;
    for (const [number, entry] of this.#entries.entries()) {
      if (entry?.name !== name) continue;
      this.#entries[number] = undefined;
      found = true;
    }
    if (found) this.#changed();
    return found;
  }

  /** The plugin of a name and role, undefined when there is none. */
  get(name: string, role: PluginRole = "engine"): PluginEntry | undefined {
    return this.#entries.find((entry) => entry?.name === name && entry.role === role);
  }

  /** Description records sorted by path, one a path; of one name only when it is given. */
  describe(name?: string): PluginDescription[] {
    const byPath = new Map<string, PluginDescription>();
    for (const entry of this.#entries) {
      if (entry === undefined || (name !== undefined && entry.name !== name)) continue;
      const { description } = entry;
      // A pre-processor says what a client may send, its post-processor does not.
      if (entry.role !== "post" || !byPath.has(description.path)) {
        byPath.set(description.path, description);
      }
    }
    return [...byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** Entries by plugin number. */
  entries(): readonly (PluginEntry | undefined)[] {
    return this.#entries;
  }

  list(): PluginList {
    const routes: Record<string, PathRoutes> = {};
    for (const [number, entry] of this.#entries.entries()) {
      if (entry === undefined) continue;
      const { path } = entry.description;
      routes[path] = { ...routes[path], [entry.role]: number };
    }
    return { routes, descriptions: this.describe() };
  }

  argspec(): SharedArgspec {
    return shareArgspec(liveArgspec(this.#entries.filter((entry) => entry !== undefined)));
  }

  table(): PluginTable {
    return { ...this.list(), argspec: this.argspec() };
  }

  /** Calls `listener` after every change, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** One name has an engine or a pre-processor, and besides a post-processor. */
function collide(a: PluginEntry, b: PluginEntry): boolean {
  return a.name === b.name && (a.role === "post") === (b.role === "post");
}

/** The plugins of this process. */
export const registry = new PluginRegistry();
