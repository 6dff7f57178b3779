// Source of each server setting, and rejected data folders.

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ServeValues } from "../../../cli/serving/options.js";
import { resolveSettings } from "../../../cli/serving/resolve-settings.js";
import { configured, resolveConfig } from "../../../runtime/settings/config-rule.js";
import { SETTINGS } from "../../../runtime/settings/table.js";

const test = suite("resolve settings");
let folder = "";

test.before(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-settings-"));
});
test.after(() => rmSync(folder, { recursive: true }));

const config = resolveConfig(
  {
    name: "shop",
    root: "data",
    http: { ip: "127.0.0.1", prefix: "/shop", transport: "net", maxBodyBytes: 1000 },
    executors: 2,
    plugin: { timeoutMs: 5000 },
  },
  [],
);

test("uses the configuration when no option is given", async () => {
  const settings = await resolveSettings(folder, config, {});
  const { projectDir, root, executors, node, slots, build, adminKey, ...others } = settings;
  const { dispatcherKey, leadership, ...rest } = others;
  assert.equal([projectDir, root, executors], [folder, join(folder, "data"), 2]);
  assert.equal([node, slots, build, adminKey, dispatcherKey], [null, null, null, null, null]);
  assert.is(leadership, null);
  assert.equal([rest.ip, rest.prefix, rest.transport], ["127.0.0.1", "/shop", "net"]);
  assert.equal([rest.maxBodyBytes, rest.pluginTimeoutMs, rest.name], [1000, 5000, "shop"]);
  for (const [name, value] of Object.entries(rest)) {
    assert.equal(value, configured(config, SETTINGS[name as keyof typeof rest]), name);
  }
});

test("prefers options, even if they are 0 or false", async () => {
  const settings = await resolveSettings(folder, config, {
    port: 0,
    ip: "127.0.0.2",
    "admin-ip": "127.0.0.3",
    prefix: "mall",
    executors: "auto",
    transport: "auto",
    root: folder,
    "service-out": false,
    "plugin-timeout": 0,
    "max-body-bytes": 0,
    cors: "*",
    "no-stack-traces": false,
  });
  assert.is(settings.port, 0);
  assert.is(settings.ip, "127.0.0.2");
  assert.is(settings.adminIp, "127.0.0.3");
  assert.is(settings.prefix, "/mall");
  assert.ok(settings.executors >= 1);
  assert.is(settings.transport, "auto");
  assert.is(settings.root, folder);
  assert.is(settings.servicein, false);
  assert.is(settings.pluginTimeoutMs, 0);
  assert.is(settings.maxBodyBytes, 0);
  assert.is(settings.cors, "*");
  assert.is(settings.stackTraces, false);
});

test("lets a variable of 0 undo a flag of the configuration", async () => {
  const out = { ...config, http: { ...config.http, servicein: false } };
  assert.is((await resolveSettings(folder, out, {})).servicein, false);
  assert.is((await resolveSettings(folder, out, { "service-out": true })).servicein, true);
});

test("creates a requested data folder if its parent exists", async () => {
  const root = join(folder, "made");
  assert.is((await resolveSettings(folder, config, { root })).root, root);
  assert.ok(statSync(root).isDirectory());
});

test("rejects a requested data folder that is a file", async () => {
  const file = join(folder, "file");
  writeFileSync(file, "");
  for (const root of [join(folder, "missing", "deeper"), file, join(folder, "a\nb")]) {
    try {
      await resolveSettings(folder, config, { root });
      assert.unreachable();
    } catch (error) {
      assert.is((error as { code?: string }).code, "SVC3008");
    }
  }
});

test("uses the descriptor for an instance of a system where no option is given", async () => {
  const descriptor = join(folder, "system.json");
  const instances = {
    TD: { type: "dispatch", hport: 9990, host: "127.0.0.7" },
    S1: { type: "search", hport: 9110, host: "127.0.0.8" },
  };
  const topology = { dispatch: { TD: [{ partitions: ["S1"] }] } };
  // Begins as editors of Windows write it.
  writeFileSync(descriptor, `\uFEFF${JSON.stringify({ name: "Two", instances, topology })}`);
  const params = { instance: "TD", descriptor };
  const { port, ip, name, dispatcher, node } = await resolveSettings(folder, config, params);
  assert.equal([port, ip, name, node?.id], [9990, "127.0.0.7", "TD: shop", "TD"]);
  const [[engine]] = (dispatcher as { partitions: object[][] }).partitions as [[object]];
  assert.equal(engine, { host: "127.0.0.8", port: 9110 });
  const engineValues = { instance: "S1", descriptor, port: 9200, root: folder };
  const search = await resolveSettings(folder, config, engineValues);
  assert.equal([search.port, search.servicein, search.dispatcher], [9200, false, null]);
  assert.is(search.root, join(folder, "search_S1"));
});

test("reports an unknown instance and an invalid descriptor", async () => {
  const descriptor = join(folder, "system.json");
  const twice = join(folder, "twice.json");
  writeFileSync(twice, readFileSync(descriptor, "utf8").replace("{", '{"name":"a","name":"b",'));
  const invalidSettings = [
    [{ instance: "S1", descriptor: twice }, "SVC3110", /an object has two keys "name"$/],
    [{ instance: "S2", descriptor }, "SVC3111", /no instance "S2", did you mean `S1`/],
    [{ instance: "S1", descriptor: join(folder, "none.json") }, "SVC3110", /none\.json/],
    [{ instance: "S1" }, "SVC3110", /contains none of .*\bsvc\.system\.json/],
  ] as const;
  for (const [values, code, text] of invalidSettings) {
    try {
      await resolveSettings(folder, config, values);
      assert.unreachable();
    } catch (error) {
      assert.is((error as { code?: string }).code, code);
      assert.match((error as Error).message, text);
    }
  }
});

test("leaves configured graphs to the back-ends of a dispatcher", async () => {
  const resolved = resolveConfig({ graphs: { shop: {} } }, []);
  const descriptor = join(folder, "own.json");
  const instances = {
    TD: { type: "dispatch", hport: 9990, graph: "users" },
    S1: { hport: 9110, graph: "shop" },
  };
  const topology = { dispatch: { TD: [{ partitions: ["S1"] }] } };
  const content = { name: "Own", graphs: ["shop", "users"], instances, topology };
  writeFileSync(descriptor, JSON.stringify(content));
  const left = async (values: ServeValues) => {
    const { graphs } = await resolveSettings(folder, resolved, values);
    return Object.keys(graphs).filter((name) => graphs[name]!.isOfBackEnds ?? false);
  };
  assert.equal([await left({}), await left({ role: "engine" })], [[], []]);
  assert.equal(await left({ role: "dispatcher" }), ["shop"]);
  assert.equal(await left({ instance: "TD", descriptor }), ["shop"]);
  assert.equal(await left({ instance: "S1", descriptor }), []);
});

test("validates the dispatcher of the configuration or of a named file", async () => {
  const dispatcher = { partitions: [[{ host: "a", port: 9100 }]], replicas: [{}] };
  const { dispatcher: taken } = await resolveSettings(folder, { ...config, dispatcher }, {});
  assert.equal(taken, dispatcher);
  const engine = await resolveSettings(folder, { ...config, dispatcher }, { role: "engine" });
  assert.is(engine.dispatcher, null);
  const file = join(folder, "matrix.json");
  for (const [text, message] of [
    ["{}", /matrix\.json: dispatcher\.replicas: replicas information missing/],
    ["{", /matrix\.json: .*JSON/],
  ] as const) {
    writeFileSync(file, text);
    try {
      await resolveSettings(folder, { ...config, dispatcher }, { dispatcher: file });
      assert.unreachable();
    } catch (error) {
      assert.is((error as { code?: string }).code, "SVC2207");
      assert.match((error as Error).message, message);
    }
  }
});

test.run();
