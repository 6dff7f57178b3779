// Plugins in a time range: rate, percentiles, errors, and share of the time of all responses.

import { clipForDisplay, count, rate } from "../data/text.js";
import {
  addLists,
  type PluginWindow,
  percentile,
  slidingPercentile,
  sum,
  sumErrors,
  timeSpentMs,
  type Windows,
} from "../data/windows.js";
import { type Column, DataTable } from "./data-table.js";
import { PageLink } from "./page-link.js";
import { Spark } from "./spark.js";
import { Strip } from "./strip.js";

interface PluginTableProps {
  readonly windows: Windows;
  /** Plugins, the most frequent first. */
  readonly plugins: readonly PluginWindow[];
  /** Number of plugins with a color of their own in the plots. */
  readonly areas: number;
}

export function PluginTable({ windows, plugins, areas }: PluginTableProps) {
  const called = plugins.filter(({ counts }) => sum(counts) > 0);
  return (
    <section class="card" aria-label="Plugins">
      <header>
        <h2>Plugins</h2>
        <span class="end soft s">
          {count(called.length)} of {count(plugins.length)} called in this range
        </span>
      </header>
      <DataTable
        label="Plugins"
        columns={columns(windows, called, areas)}
        rows={called}
        keyOf={({ name }) => name}
        empty="No calls."
      />
    </section>
  );
}

function columns(
  { stepS, times, boundsMs }: Windows,
  plugins: readonly PluginWindow[],
  areas: number,
): readonly Column<PluginWindow>[] {
  const seconds = Math.max(1, stepS * times.length);
  const wholeMs = sum(plugins.map((plugin) => timeSpentMs(plugin, boundsMs)));
  const maximum = Math.max(1, ...plugins.flatMap(({ counts }) => counts));
  const number = (percent: number): Column<PluginWindow> => {
    const value = (plugin: PluginWindow) => percentile(addLists(plugin.buckets), boundsMs, percent);
    return {
      ...{
        title: `p${percent} ms`,
        isNumber: true,
        sort: (plugin: PluginWindow) => value(plugin) ?? -1,
      },
      cell: (plugin) => shownMs(value(plugin)),
    };
  };
  const perSecond = ({ counts }: PluginWindow) => sum(counts) / seconds;
  const share = (plugin: PluginWindow) =>
    (100 * timeSpentMs(plugin, boundsMs)) / Math.max(1e-9, wholeMs);
  const failed = (plugin: PluginWindow) => (100 * sumErrors(plugin)) / sum(plugin.counts);
  return [
    {
      ...{ title: "Plugin", isHead: true, sort: ({ name }) => name },
      cell: (plugin) => (
        <Name name={plugin.name} color={1 + Math.min(plugins.indexOf(plugin), areas)} />
      ),
    },
    {
      ...{ title: "Requests", isOptional: true },
      cell: ({ name, counts }) => (
        <Spark values={counts} max={maximum} label={`Requests of ${clipForDisplay(name, 40)}`} />
      ),
    },
    { title: "/s", isNumber: true, sort: perSecond, cell: (plugin) => rate(perSecond(plugin)) },
    {
      ...{ title: "p95 over time", isOptional: true },
      cell: ({ name, buckets }) => (
        <Strip
          values={slidingPercentile(buckets, boundsMs, 95)}
          label={`95th percentile of ${clipForDisplay(name, 40)}`}
        />
      ),
    },
    ...[50, 95, 99].map(number),
    {
      ...{ title: "Errors %", isNumber: true, sort: failed },
      cell: (plugin) => (
        <span class={failed(plugin) > 0 ? "err" : ""}>{count(failed(plugin))}</span>
      ),
    },
    {
      ...{ title: "Share of time %", isNumber: true, isOptional: true, sort: share },
      cell: (plugin) => count(Math.round(share(plugin))),
    },
  ];
}

function shownMs(value: number | null): string {
  return value === null ? "–" : count(value);
}

/** Name of a plugin, with its color in the plots. */
function Name({ name, color }: { readonly name: string; readonly color: number }) {
  const shown = clipForDisplay(name, 60);
  const isBuiltin = /[(/]/.test(name);
  return (
    <span class="key">
      <svg class="shape" viewBox="0 0 14 14" aria-hidden="true">
        <rect class={`fill-${color}`} x="1" y="1" width="12" height="12" rx="3" />
      </svg>
      {isBuiltin ? (
        shown
      ) : (
        <PageLink to={`plugin?${new URLSearchParams({ name })}`}>{shown}</PageLink>
      )}
    </span>
  );
}
