// The pages of the console in the groups of the rail, each with its icon and its key after `g`.

import type { Page } from "../../router.js";
import type { IconName } from "../icons.js";

export interface NavigationEntry {
  readonly page: Page;
  readonly title: string;
  readonly icon: IconName;
  readonly key: string;
}

export const GROUPS: readonly (readonly [title: string, places: readonly NavigationEntry[]])[] = [
  [
    "Observe",
    [
      { page: "system", title: "System", icon: "map", key: "s" },
      { page: "status", title: "Metrics", icon: "gauge", key: "m" },
      { page: "requests", title: "Requests", icon: "trace", key: "r" },
      { page: "logs", title: "Logs", icon: "log", key: "l" },
    ],
  ],
  [
    "Build",
    [
      { page: "plugin", title: "Plugins", icon: "plug", key: "p" },
      { page: "search", title: "Graph", icon: "graph", key: "g" },
      { page: "text", title: "Search", icon: "search", key: "f" },
    ],
  ],
  [
    "Operate",
    [
      { page: "matrix", title: "Matrix", icon: "grid", key: "x" },
      { page: "replication", title: "Replication", icon: "sync", key: "y" },
      { page: "jobs", title: "Jobs", icon: "clock", key: "j" },
      { page: "admin", title: "Administration", icon: "shield", key: "a" },
    ],
  ],
];

export const ENTRIES: readonly NavigationEntry[] = GROUPS.flatMap(([, entries]) => entries);

export function titleOfPage(page: Page): string {
  return ENTRIES.find((entry) => entry.page === page)!.title;
}
