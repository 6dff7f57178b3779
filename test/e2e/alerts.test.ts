// The alerts and dashboards in `ops/`: every alert has a test of its own and an entry in the guide,
// and only metrics that exist are used. `promtool` parses all expressions and runs the tests of the
// alerts, if it is installed.
// limit: 60 s
// takes 6 s

import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ERROR_CODES } from "../../runtime/base/error-codes.js";
import { ROOT } from "../support/source-files.js";

interface Dashboard {
  readonly uid: string;
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly targets: readonly { readonly expr: string }[];
  }[];
}

const test = suite("alerts and dashboards");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const rules = read("ops/prometheus/rules.yml");
const guide = read("docs/guides/monitoring.md");
const alerts = [...rules.matchAll(/^ +- alert: (\w+)$/gm)].map(([, name]) => name!);
const dashboards = readdirSync(join(ROOT, "ops/grafana")).map(
  (file) => JSON.parse(read(`ops/grafana/${file}`)) as Dashboard,
);
const hasPromtool = spawnSync("promtool", ["--version"]).error === undefined;

function promtool(...args: string[]): void {
  execFileSync("promtool", args, { cwd: join(ROOT, "ops/prometheus"), stdio: "pipe" });
}

/** Names of metrics in an expression, without the suffixes of histograms. */
function metricsIn(expression: string): string[] {
  const names = expression.match(/\b(?:svc|process)_\w+/g) ?? [];
  return names.map((name) => name.replace(/_(bucket|sum|count)$/, ""));
}

test("every alert has one test and an entry in the guide", () => {
  const tests = [...read("ops/prometheus/rules.test.yml").matchAll(/^ {2}- name: (\w+)$/gm)];
  assert.ok(alerts.length > 20);
  assert.equal(
    tests.map(([, name]) => name),
    alerts,
  );
  for (const alert of alerts) {
    assert.match(rules, new RegExp(`monitoring\\.md#${alert.toLowerCase()}\\n`), alert);
    assert.match(guide, new RegExp(`^#### ${alert}$`, "m"), alert);
  }
});

test("every alert is triggered by a test in a real server", () => {
  const here = import.meta.dirname;
  const suites = readdirSync(here).filter((name) => name.endsWith(".test.ts"));
  const calls = suites
    .map((name) => readFileSync(join(here, name), "utf8"))
    .flatMap((text) => text.match(/\bassertFiring\([^;]*;/g) ?? []);
  const caused = new Set(calls.flatMap((call) => call.match(/\bSvc\w+/g) ?? []));
  assert.equal(
    alerts.filter((alert) => !caused.has(alert)),
    [],
  );
});

test("the guide has an entry for every code of the transaction log and of replication", () => {
  const codes = Object.keys(ERROR_CODES).filter((code) => code.startsWith("SVC25"));
  assert.ok(codes.length > 10);
  for (const code of codes) assert.match(guide, new RegExp(`^\\| \`${code}\` `, "m"), code);
});

test("alerts and dashboards use metrics that exist", () => {
  const known = new Set(metricsIn(read("docs/reference/metrics.md")));
  const expressions = dashboards.flatMap(({ panels }) =>
    panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  );
  for (const name of [rules, ...expressions].flatMap(metricsIn)) assert.ok(known.has(name), name);
});

test("dashboards have unique ids and titles", () => {
  assert.is(new Set(dashboards.map(({ uid }) => uid)).size, 3);
  for (const { uid, panels } of dashboards) {
    assert.is(new Set(panels.map(({ id }) => id)).size, panels.length, uid);
    assert.is(new Set(panels.map(({ title }) => title)).size, panels.length, uid);
  }
});

test("promtool accepts the rules, and each alert fires in its test", () => {
  if (!hasPromtool) return;
  promtool("check", "rules", "rules.yml");
  promtool("test", "rules", "rules.test.yml");
});

test("promtool accepts the expressions of the dashboards", () => {
  if (!hasPromtool) return;
  const records = dashboards
    .flatMap(({ panels }) => panels.flatMap(({ targets }) => targets))
    .map(({ expr }, index) => {
      const text = expr.replaceAll("$__rate_interval", "5m");
      return `      - { record: "panel:${index}", expr: ${JSON.stringify(text)} }`;
    });
  const folder = mkdtempSync(join(tmpdir(), "svc-promtool-"));
  const file = join(folder, "panels.yml");
  writeFileSync(file, `groups:\n  - name: panels\n    rules:\n${records.join("\n")}\n`);
  promtool("check", "rules", "--lint=none", file);
  rmSync(folder, { recursive: true });
});

test.run();
