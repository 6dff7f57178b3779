// The most frequently called plugins of this instance, beside the map.

import { useMemo } from "preact/hooks";
import { useLive } from "../data/server-connection.js";
import { clipForDisplay, count, rate } from "../data/text.js";
import {
  addLists,
  type PluginWindow,
  parseWindows,
  percentile,
  sum,
  type Windows,
} from "../data/windows.js";
import { type Column, DataTable } from "./data-table.js";
import { PageLink } from "./page-link.js";
import { Spark } from "./spark.js";

const EVERY_MS = 5000;
const MAX_PLUGINS = 4;

/** Returns the requests of this instance in the last minutes; null before the first response. */
export function useWindows(): Windows | null {
  const answer = useLive("svc/windows?range=300", EVERY_MS);
  return useMemo(() => parseWindows(answer), [answer]);
}

/** Renders nothing if no plugin has been called. */
export function PluginCard({ windows }: { readonly windows: Windows | null }) {
  const called = windows?.plugins.filter(({ counts }) => sum(counts) > 0) ?? [];
  if (windows === null || called.length === 0) return null;
  const busiest = [...called].sort((a, b) => sum(b.counts) - sum(a.counts)).slice(0, MAX_PLUGINS);
  const seconds = windows.stepS * windows.times.length;
  const highest = Math.max(...busiest.flatMap(({ counts }) => counts));
  const columns: readonly Column<PluginWindow>[] = [
    {
      ...{ title: "Plugin", isHead: true },
      cell: ({ name, counts }) => (
        <>
          <PageLink to={`plugin?${new URLSearchParams({ name })}`}>
            {clipForDisplay(name, 30)}
          </PageLink>
          <Spark values={counts} max={highest} label={`Requests of ${clipForDisplay(name, 40)}`} />
        </>
      ),
    },
    { title: "/s", isNumber: true, cell: ({ counts }) => rate(sum(counts) / seconds) },
    {
      ...{ title: "p95 ms", isNumber: true },
      cell: ({ buckets }) => {
        const value = percentile(addLists(buckets), windows.boundsMs, 95);
        return value === null ? "–" : count(value);
      },
    },
  ];
  return (
    <section class="card" aria-label="Plugins">
      <header>
        <h2>Plugins</h2>
        <span class="faint s">last 5 min</span>
        <span class="end">
          <PageLink to="status">Metrics</PageLink>
        </span>
      </header>
      <DataTable
        label="Plugins"
        columns={columns}
        rows={busiest}
        keyOf={({ name }) => name}
        empty="No calls."
      />
    </section>
  );
}
