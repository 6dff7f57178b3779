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

/**
 * Fails unless exactly these alerts fire.
 * @param before metrics from which counters grow to `after` in each minute; equal: nothing happens
 * @param laterS seconds that have passed since the metrics were read
 */
export function assertFiring(
  before: string,
  after: string,
  expected: readonly string[],
  laterS = 0,
): void {
  if (spawnSync("promtool", ["--version"]).error !== undefined) return;
  const used = new Set(readFileSync(RULES, "utf8").match(/\b(?:svc|process)_[a-z_]+/g));
  const first = parse(before);
  const series = [...parse(after)].flatMap(([key, value]) => {
    const [, name = "", labels = ""] = SAMPLE.exec(`${key} 0`)!;
    if (!used.has(name)) return [];
    const all = ['instance="a:9001"', 'job="svc"', ...(labels === "" ? [] : [labels])];
    const values = valuesOf(name, first.get(key), value, laterS);
    return [{ series: `${name}{${all.join()}}`, values }];
  });
  const file = {
    rule_files: [RULES],
    evaluation_interval: "1m",
    tests: [
      {
        interval: "1m",
        input_series: series,
        promql_expr_test: [
          {
            expr: 'group by (alertname) (ALERTS{alertstate="firing"})',
            eval_time: `${LENGTH}m`,
            exp_samples: expected.map((name) => ({ labels: `{alertname="${name}"}`, value: 1 })),
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
      const at = line.lastIndexOf(" ");
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

/** In the notation of `promtool`, whose clock starts at 0. */
function valuesOf(name: string, before: number | undefined, after: number, laterS: number): string {
  if (COUNTER.test(name)) {
    const start = before ?? 0;
    return `${start}+${after - start}x${LENGTH}`;
  }
  const shift = MOMENT.test(name) && after !== 0 ? Date.now() / 1000 + laterS : 0;
  return `${after - shift}x${LENGTH}`;
}
