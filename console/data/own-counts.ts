// How many plugins and graphs this instance has, for the rail: requested once.

import { signal } from "@preact/signals";
import { fetchValue } from "./client.js";
import { listAt, textAt } from "./node-stat.js";

interface OwnCounts {
  readonly plugins: number;
  readonly graphs: number;
}

export const ownCounts = signal<OwnCounts>({ plugins: 0, graphs: 0 });

export async function countOwn(): Promise<void> {
  try {
    const [plugins, graphs] = await Promise.all([
      fetchValue("svc/builtin/plugins"),
      fetchValue("svc/graphsum"),
    ]);
    const paths = listAt({ plugins }, "plugins").map((plugin) => textAt(plugin, "path"));
    ownCounts.value = {
      plugins: paths.filter((path) => path.startsWith("/svc/plugin/")).length,
      graphs: listAt(graphs, "graphsum", "names").length,
    };
  } catch {
    // The frame reports a server that does not respond; the rail shows no counts then.
  }
}
