// Output of the emitters, compared with readable files: test/golden/emit.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { emitArgspec } from "../../../compiler/emit/argspec.js";
import { emitConverters } from "../../../compiler/emit/converters.js";
import { inNumberOrder } from "../../../compiler/emit/describe.js";
import { PluginModules } from "../../../compiler/emit/modules.js";
import { emitPlugins, emitRoutes } from "../../../compiler/emit/plugins.js";
import { emitRegistryTypes } from "../../../compiler/emit/registry-types.js";
import { matchesGolden } from "../../golden/golden.js";
import { plugin, plugins, reserved, types, user } from "./records.js";

const test = suite("emit: golden");
const PREFIX = "/svc/plugin/";
const options = { modules: "./modules.js", convert: "svc-server/convert" };
const numbered = inNumberOrder(plugins);

test("numbers plugins by name, then engine, pre, post", () => {
  assert.equal(
    numbered.map((record) => `${record.name} ${record.role}`),
    [
      ...["Shop engine", "add engine", "ask engine", "bare engine", "delete engine"],
      ...["raw engine", "search pre", "search post", "shapes engine"],
    ],
  );
});

test("emits converters", () => {
  matchesGolden("emit/converters.js", emitConverters(numbered, types, options));
});

test("emits the entry of the bundle", () => {
  const entry = new PluginModules(numbered).emit((module) => `./${module}`);
  matchesGolden("emit/modules.js", entry);
});

const FILES = { converters: "./converters.js", modules: "./modules.js" };

test("emits plugins and routes", () => {
  matchesGolden("emit/plugins.js", emitPlugins(numbered, types, PREFIX, FILES));
  matchesGolden("emit/routes.json", emitRoutes(numbered, PREFIX));
});

test("emits an argspec", () => {
  const service = { name: "shop", prefix: null };
  matchesGolden("emit/argspec.json", emitArgspec(service, numbered, types, PREFIX));
});

test("emits registry types", () => {
  matchesGolden("emit/plugins.d.ts", emitRegistryTypes(numbered, types));
});

test("emits a project without plugins", () => {
  assert.is(emitPlugins([], {}, PREFIX, FILES).includes("import"), false);
  assert.is(emitConverters([], {}, options).includes("import"), false);
  assert.is(emitRoutes([], PREFIX), "{}\n");
});

test("hashes contracts of an argspec, not service data", () => {
  const readHash = (text: string) => (JSON.parse(text) as { hash: string }).hash;
  const first = emitArgspec({ name: "a", prefix: null }, numbered, types, PREFIX);
  const second = emitArgspec({ name: "b", prefix: "/p" }, numbered, types, PREFIX);
  const fewer = emitArgspec({ name: "a", prefix: null }, numbered.slice(1), types, PREFIX);
  assert.is(readHash(first), readHash(second));
  assert.is.not(readHash(first), readHash(fewer));
});

test("never emits an invalid identifier as code", () => {
  for (const name of ["a-b", "x; process.exit()", "", "1a", "a\u2028b"]) {
    const badRecord = plugin("ok", [reserved("request"), user(name, "int")]);
    assert.throws(() => emitConverters([badRecord], {}, options), /not an identifier/);
    const worse = plugin("ok", [reserved("request")], { exportPath: name });
    assert.throws(() => emitConverters([worse], {}, options), /not an identifier/);
  }
});

test.run();
