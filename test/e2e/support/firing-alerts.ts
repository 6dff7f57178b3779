// Which alerts a real server causes: its metrics, as they would be read for two hours, under the
// rules in `ops/`. `promtool` decides; without it, nothing is checked.

import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../../support/source-files.js";

const RULES = join(ROOT, "ops/prometheus/rules.yml");
/** Minutes; longer than any alert waits. */
const LENGTH = 120;
const SAMPLE = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/;
const COUNTER = /_(total|count|sum|bucket)$/;
const MOMENT = /_time(stamp)?_seconds$/;
/** Durations that grow by themselves until what they wait for happens; 0: nothing is waited for. */
const AGE = /_(age|verified|lag)_seconds$/;
const START = "process_start_time_seconds";

/** A loaded machine with a slow disk causes these. */
const OF_MACHINE = ["SvcIoBusy", "SvcSlowFlush"];

interface Passing {
  /** Seconds that have passed since the metrics were read; nothing else changes in them. */
  readonly laterS?: number;
  /** Seconds between the two readings. */
  readonly apartS?: number;
  /** Earlier start times of the process, one in each of the last minutes. */
  readonly starts?: readonly number[];
  /** Metrics that count this number of times, of what is too large for a test. */
  readonly times?: Readonly<Record<string, number>>;
}

/**
 * Fails unless exactly these alerts fire, beside those of a loaded machine.
 * @param before metrics from which counters grow to `after` in each minute; equal: nothing happens
 * @param after null: the instance did not respond
 */
export function assertFiring(
  before: string,
  after: string | null,
  expected: readonly string[],
  passing: Passing = {},
): void {
  if (spawnSync("promtool", ["--version"]).error !== undefined) return;
  const used = new Set(readFileSync(RULES, "utf8").match(/\b(?:svc|process)_[a-z_]+/g));
  const first = parse(before);
  const series = [...parse(after ?? "")].flatMap(([key, value]) => {
    const [, name = "", labels = ""] = SAMPLE.exec(`${key} 0`)!;
    if (!used.has(name)) return [];
    const pairs = ['instance="a:9001"', 'job="svc"', ...(labels === "" ? [] : [labels])];
    const values = seriesValues(name, first.get(key), value, passing);
    return [{ series: `${name}{${pairs.join()}}`, values }];
  });
  // Prometheus itself adds this metric.
  const up = `up{instance="a:9001",job="svc"}`;
  series.push({ series: up, values: `${after === null ? 0 : 1}x${LENGTH}` });
  const others = OF_MACHINE.filter((name) => !expected.includes(name)).join("|");
  const file = {
    rule_files: [RULES],
    evaluation_interval: "5m",
    tests: [
      {
        interval: "1m",
        input_series: series,
        promql_expr_test: [
          {
            expr: `group by (alertname) (ALERTS{alertstate="firing",alertname!~"${others}"})`,
            eval_time: `${LENGTH}m`,
            exp_samples: [...expected]
              .sort()
              .map((name) => ({ labels: `{alertname="${name}"}`, value: 1 })),
          },
        ],
      },
    ],
  };
  const folder = mkdtempSync(join(tmpdir(), "svc-alerts-"));
  try {
    // JSON is YAML.
    writeFileSync(join(folder, "test.yml"), JSON.stringify(file));
    execFileSync("promtool", ["test", "rules", join(folder, "test.yml")], { stdio: "pipe" });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: Buffer; stderr: Buffer };
    throw new Error(`${stdout}${stderr}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function parse(text: string): Map<string, number> {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const separator = line.lastIndexOf(" ");
      return [line.slice(0, separator), Number(line.slice(separator + 1))];
    }),
  );
}

/** In the notation of `promtool`, whose clock starts at 0. */
function seriesValues(
  name: string,
  before: number | undefined,
  after: number,
  how: Passing,
): string {
  const { laterS = 0, apartS = 60, starts = [], times = {} } = how;
  if (COUNTER.test(name)) {
    const start = before ?? 0;
    const perMinute = ((after - start) * 60 * (times[name] ?? 1)) / apartS;
    return `${start}+${perMinute}x${LENGTH}`;
  }
  if (name === START && starts.length > 0) {
    const [first, ...others] = starts;
    return [`${first}x${LENGTH - starts.length}`, ...others, after].join(" ");
  }
  if (AGE.test(name)) return `${after === 0 ? 0 : after + laterS}x${LENGTH}`;
  const shift = MOMENT.test(name) && after !== 0 ? Date.now() / 1000 + laterS : 0;
  return `${(after - shift) * (times[name] ?? 1)}x${LENGTH}`;
}
