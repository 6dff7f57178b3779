// This instance over the chosen time range: requests by plugin, latency, errors, and each plugin.

import { useMemo } from "preact/hooks";
import { isAt, numberAt } from "../data/node-stat.js";
import { range } from "../data/range.js";
import { useLive } from "../data/server-connection.js";
import { clipForDisplay, count, milliseconds, rate } from "../data/text.js";
import {
  addLists,
  mergeBuckets,
  type PluginWindow,
  parseWindows,
  percentile,
  slidingPercentile,
  sum,
  sumErrors,
  type Windows,
} from "../data/windows.js";
import { HeatPlot } from "../parts/heat-plot.js";
import { type KeyNumber, KeyNumbers } from "../parts/key-numbers.js";
import { Loading } from "../parts/loading.js";
import { Note } from "../parts/note.js";
import { PageHead } from "../parts/page-head.js";
import { Plot } from "../parts/plot.js";
import { PluginTable } from "../parts/plugin-table.js";
import { Spark } from "../parts/spark.js";
import { currentRoute, saveStatePart } from "../router.js";
import { InstanceDetails } from "./instance-details.js";

const EVERY_MS = 2000;
/** Number of plugins with a separate area. */
const MAX_AREAS = 7;

export function Metrics() {
  const { params } = currentRoute.value;
  const plugin = params.get("plugin") ?? "";
  const threshold = Number(params.get("threshold") ?? "") || undefined;
  const answer = useLive(`svc/windows?range=${range.value.seconds}`, EVERY_MS);
  const status = useLive("svc/status", EVERY_MS);
  const windows = useMemo(() => parseWindows(answer), [answer]);
  const shown = windows?.plugins.filter(({ name }) => plugin === "" || name === plugin) ?? [];
  return (
    <>
      <PageHead title="Metrics" about={`this instance, ${range.value.title.toLowerCase()}`}>
        <PluginChoice windows={windows} plugin={plugin} />
        <label>
          Threshold p95, ms{" "}
          <input
            id="threshold"
            size={5}
            inputMode="decimal"
            value={params.get("threshold") ?? ""}
            onInput={(event) => saveStatePart("threshold", event.currentTarget.value)}
          />
        </label>
      </PageHead>
      {windows === null ? (
        <Loading what="metrics" />
      ) : (
        <Charts windows={windows} shown={shown} status={status} threshold={threshold} />
      )}
      <InstanceDetails status={status} />
    </>
  );
}

interface PluginChoiceProps {
  readonly windows: Windows | null;
  readonly plugin: string;
}

function PluginChoice({ windows, plugin }: PluginChoiceProps) {
  return (
    <label>
      Plugin{" "}
      <select
        value={plugin}
        onChange={(event) => saveStatePart("plugin", event.currentTarget.value)}
      >
        <option value="">all</option>
        {windows?.plugins.map(({ name }) => (
          <option key={name} value={name}>
            {clipForDisplay(name, 60)}
          </option>
        ))}
      </select>
    </label>
  );
}

interface ChartsProps {
  readonly windows: Windows;
  readonly shown: readonly PluginWindow[];
  readonly status: unknown;
  readonly threshold: number | undefined;
}

function Charts({ windows, shown, status, threshold }: ChartsProps) {
  const { times, stepS, boundsMs } = windows;
  const steps = mergeBuckets(shown);
  const perSecond = (counts: readonly number[]) => counts.map((value) => value / stepS);
  const byRate = [...shown].sort((a, b) => sum(b.counts) - sum(a.counts));
  const rest = byRate.slice(MAX_AREAS);
  const areas = byRate.slice(0, MAX_AREAS).map(({ name, counts }, index) => ({
    ...{ title: clipForDisplay(name, 24), color: index + 1, values: perSecond(counts) },
    value: "",
  }));
  const others = {
    title: "others",
    color: 8,
    values: perSecond(addLists(rest.map(({ counts }) => counts))),
    value: "",
  };
  const line = (percent: 50 | 95 | 99) => ({
    title: `p${percent}`,
    color: `p${percent}` as const,
    values: slidingPercentile(steps, boundsMs, percent),
  });
  return (
    <>
      {sum(shown.map(({ counts }) => sum(counts))) === 0 && (
        <Note isError={false}>No plugin was called on the main port in this time range.</Note>
      )}
      <KeyNumbers items={keyNumbers(windows, shown, status)} />
      <div class="cols">
        <div class="col-6">
          <Plot
            title="Requests by plugin"
            unit="/s"
            kind="stack"
            times={times}
            lines={rest.length > 0 ? [...areas, others] : areas}
          />
        </div>
        <div class="col-6">
          <Plot
            title="Latency"
            unit="ms"
            times={times}
            lines={[line(50), line(95), line(99)]}
            threshold={threshold}
          />
        </div>
        <div class="col-6">
          <HeatPlot
            title="Duration of responses, ms"
            times={times}
            steps={steps}
            boundsMs={boundsMs}
          />
        </div>
        <div class="col-6">
          <Plot
            title="Errors by code"
            unit="/s"
            kind="bars"
            times={times}
            lines={errorLines(windows, shown)}
          />
        </div>
      </div>
      <PluginTable windows={windows} plugins={byRate} areas={MAX_AREAS} />
    </>
  );
}

function errorLines({ stepS }: Windows, shown: readonly PluginWindow[]) {
  const codes = [...new Set(shown.flatMap(({ errors }) => errors.map(([code]) => code)))].sort();
  return codes.map((code, index) => {
    const lists = shown.flatMap(({ errors }) =>
      errors.filter(([errorCode]) => errorCode === code).map(([, counts]) => counts),
    );
    const counts = addLists(lists);
    const color = index === 0 ? ("e" as const) : 1 + (index % 8);
    return {
      title: code,
      color,
      values: counts.map((value) => value / stepS),
      value: count(sum(counts)),
    };
  });
}

function keyNumbers(
  { stepS, boundsMs }: Windows,
  shown: readonly PluginWindow[],
  status: unknown,
): readonly KeyNumber[] {
  const counts = addLists(shown.map((plugin) => plugin.counts));
  const steps = mergeBuckets(shown);
  const all = addLists(steps);
  const total = sum(counts);
  const errors = sum(shown.map(sumErrors));
  const errorSteps = addLists(shown.flatMap((plugin) => plugin.errors.map(([, list]) => list)));
  // The last step is incomplete.
  const last = counts.slice(-4, -1);
  const number = (percent: 50 | 95 | 99): KeyNumber => {
    const value = percentile(all, boundsMs, percent);
    return {
      ...{
        name: `p${percent}`,
        value: value === null ? "–" : milliseconds(value).replace(" ms", ""),
      },
      unit: "ms",
      chart: (
        <Spark
          values={slidingPercentile(steps, boundsMs, percent)}
          label={`${percent}th percentile over time`}
          tone={percent === 50 ? "sc3" : ""}
        />
      ),
    };
  };
  return [
    {
      ...{
        name: "Requests",
        value: rate(sum(last) / Math.max(1, last.length * stepS)),
        unit: "/s",
      },
      chart: <Spark values={counts} label="requests over time" />,
    },
    {
      ...{ name: "Errors", value: total === 0 ? "–" : count((100 * errors) / total), unit: "%" },
      chart: <Spark values={errorSteps} tone="err" label="errors over time" />,
    },
    ...[number(50), number(95), number(99)],
    {
      ...{ name: "Executors", value: count(numberAt(status, "request", "working")) },
      unit: `of ${count(numberAt(status, "request", "executors"))} busy`,
      about: `${count(numberAt(status, "request", "waiting"))} waiting${
        isAt(status, "dispatcher", "enabled") ? ", dispatcher" : ""
      }`,
    },
  ];
}
