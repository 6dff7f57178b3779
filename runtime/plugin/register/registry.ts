// The plugins registered in this thread, by name and by number. Requests carry numbers between
// threads, so the number of a removed plugin is never reused.

import type { PluginRole } from "../../../argspec/argspec.js";
import type { PluginDescription, PluginEntry } from "../contract/plugin-entry.js";
import type { PathRoutes, PluginList, PluginTable } from "../contract/plugin-table.js";
import type { RegisteredPlugin } from "../contract/registered-plugin.js";
import { type SharedArgspec, shareArgspec } from "../contract/shared-argspec.js";
import { liveArgspec } from "./live-argspec.js";

export class PluginRegistry {
  readonly #entries: (RegisteredPlugin | undefined)[] = [];
  readonly #listeners = new Set<() => void>();

  /** Adds plugins, replacing those with the same name and role. */
  add(...entries: readonly RegisteredPlugin[]): void {
    for (const entry of entries) {
      const index = this.#entries.findIndex(
        (known) => known !== undefined && collide(known, entry),
      );
      // The number is reused: a request in progress may then call the new function.
      if (index >= 0 && this.#entries[index]!.role === entry.role) {
        this.#entries[index] = entry;
      } else {
        if (index >= 0) this.#entries[index] = undefined;
        this.#entries.push(entry);
      }
    }
    this.#changed();
  }

  /** Removes the plugins with a name in all roles; returns false if there is no such plugin. */
  remove(name: string): boolean {
    let isFound = false;
    for (const [number, entry] of this.#entries.entries()) {
      if (entry?.name !== name) continue;
      this.#entries[number] = undefined;
      isFound = true;
    }
    if (isFound) this.#changed();
    return isFound;
  }

  /** Returns the plugin of a name and role, undefined if there is none. */
  get(name: string, role: PluginRole = "engine"): PluginEntry | undefined {
    return this.#entries.find((entry) => entry?.name === name && entry.role === role);
  }

  /**
   * Returns description records sorted by path, one per path; with `name`, only that of the plugin.
   */
  describe(name?: string): PluginDescription[] {
    const byPath = new Map<string, PluginDescription>();
    for (const entry of this.#entries) {
      if (entry === undefined || (name !== undefined && entry.name !== name)) continue;
      const { description } = entry;
      // A pre-processor defines a client's parameters, its post-processor does not.
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
      const { access } = entry.spec;
      const rights = access && { access: { ...routes[path]?.access, [entry.role]: access } };
      const unchanging = entry.readonly && { readonly: true as const };
      routes[path] = { ...routes[path], [entry.role]: number, ...unchanging, ...rights };
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

/** A name has an engine or a pre-processor, and additionally a post-processor. */
function collide(a: PluginEntry, b: PluginEntry): boolean {
  return a.name === b.name && (a.role === "post") === (b.role === "post");
}

/** The plugins of this process. */
export const registry = new PluginRegistry();
