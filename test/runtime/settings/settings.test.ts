// The table of settings: accepted values, rejections and defaults of each row, the same for builds,
// servers and programs.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ArgumentError, SvcError } from "../../../runtime/base/errors.js";
import { configured, resolveConfig } from "../../../runtime/settings/config-rule.js";
import { type Problems, problemText } from "../../../runtime/settings/rules.js";
import {
  checkSetting,
  checkSettings,
  resolveAddress,
  SERVER_SETTINGS,
  type SettingName,
} from "../../../runtime/settings/server-settings.js";
import type { Setting } from "../../../runtime/settings/setting.js";
import { SETTINGS } from "../../../runtime/settings/table.js";
import { WRONG_VALUES } from "./wrong-values.js";

const test = suite("settings");
const rows = Object.entries<Setting<unknown>>(SETTINGS) as [SettingName, Setting<unknown>][];

/** A configuration of one setting. */
function saying(key: string, value: unknown): object {
  const [top = "", inner] = key.split(".");
  return { [top]: inner === undefined ? value : { [inner]: value } };
}

function listProblems(value: unknown): string[] {
  const problems: Problems = [];
  resolveConfig(value, problems);
  return problems.map(problemText);
}

for (const [name, row] of rows) {
  test(`${name}: rejects invalid values at build and at start`, () => {
    assert.ok(WRONG_VALUES[name].length > 0);
    for (const [value, text] of WRONG_VALUES[name]) {
      const [first = "", ...more] = listProblems(saying(row.key, value));
      assert.ok(first.startsWith(row.key), first);
      assert.match(first.slice(row.key.length), text);
      assert.equal(more, []);
      try {
        checkSetting(name, value);
      } catch (error) {
        assert.instance(error, SvcError);
        const isArgument = error instanceof ArgumentError;
        assert.is(isArgument, name === "dispatcher");
        const label = isArgument ? name : `invalid ${row.noun ?? name}`;
        const { code, message } = error as SvcError;
        assert.is(code, isArgument ? "SVC2101" : "SVC2205");
        assert.ok(message.startsWith(label), message);
        assert.match(message.slice(label.length), text);
        continue;
      }
      assert.unreachable(`${name} was taken: ${String(value)}`);
    }
  });

  test(`${name}: has a valid default that is left unchanged`, () => {
    assert.equal(checkSetting(name, undefined), row.default);
    if (name !== "plugins") assert.equal(checkSetting(name, row.default), row.default);
    if (name !== "plugins") assert.equal(configured(resolveConfig({}, []), row), row.default);
  });
}

test("accepts and normalizes valid values", () => {
  const cases: [SettingName, unknown, unknown][] = [
    ["prefix", "", null],
    ["prefix", "shop", "/shop"],
    ["prefix", "/shop/v1/", "/shop/v1"],
    ["ip", "::1", "::1"],
    ["ip", "shop.example", "shop.example"],
    ["ip", "localhost", "localhost"],
    ["port", 0, 0],
    ["port", 65534, 65534],
    ["cors", "https://shop.example:8080", "https://shop.example:8080"],
    ["trustedNetworks", ["10.0.0.0/8", "::1"], ["10.0.0.0/8", "::1"]],
    ["dispatcherNetworks", [], []],
    ["maxBodyBytes", 0, 0],
    ["executors", "auto", "auto"],
    ["executorHeapMiB", 16, 16],
    [
      "graphs",
      { g: { indexes: [{ ids: true }, { property: "price" }] } },
      {
        g: {
          ...{ path: null, readonly: false, local: false, memory: null, read: null, change: null },
          ...{ vectors: null },
          indexes: [{ ids: true }, { property: "price" }],
          constraints: [],
        },
      },
    ],
    [
      "graphs",
      { g: { vectors: { precision: "float32", named: { title: { measure: "l2" } } } } },
      {
        g: {
          ...{ path: null, readonly: false, local: false, memory: null, read: null, change: null },
          ...{
            vectors: {
              ...{ precision: "float32", measure: undefined },
              named: { title: { precision: undefined, measure: "l2" } },
            },
            indexes: [],
            constraints: [],
          },
        },
      },
    ],
  ];
  for (const [name, value, expected] of cases) {
    assert.equal(checkSetting(name, value), expected);
    // A server accepts the settings that a build stored.
    assert.equal(checkSetting(name, expected), expected);
  }
});

test("reports all errors at once, and ignores inherited keys", () => {
  assert.equal(listProblems({ prot: 1, http: { port: "x" }, executors: 0 }), [
    "prot: unknown key, did you mean `root`?",
    'executors: expected an integer from 1 to 32, or "auto", got 0',
    'http.port: expected an integer from 0 to 65534, got "x"',
  ]);
  assert.equal(listProblems(7), ["configuration: expected an object, got 7"]);
  assert.equal(listProblems({ http: [] }), ["http: expected an object, got []"]);
  assert.equal(listProblems(JSON.parse('{"__proto__": {"root": 5}}')), ["__proto__: unknown key"]);
  assert.equal(listProblems({ constructor: 1 }), ["constructor: unknown key"]);
  assert.equal(listProblems(Object.create({ root: 5 })), [
    "configuration: expected an object, got {}",
  ]);
});

test("starts a server with all settings except those of the build", () => {
  const requestedNames = new Set<string>();
  const settings = checkSettings((name) => void requestedNames.add(name));
  assert.equal(Object.keys(settings), SERVER_SETTINGS);
  assert.equal([...requestedNames], SERVER_SETTINGS);
  const builds = rows.map(([name]) => name).filter((name) => !requestedNames.has(name));
  assert.equal(builds, ["plugins"]);
});

test("has unique keys, options and variables", () => {
  const keys = rows.map(([, { key }]) => key);
  assert.is(new Set(keys).size, keys.length);
  const options = rows.flatMap(([, { option, fileOption }]) => option ?? fileOption ?? []);
  assert.is(new Set(options).size, options.length);
  assert.ok(options.every((option) => /^[a-z]+(-[a-z]+)*$/.test(option)));
});

test("resolves host names, and reports unknown ones", async () => {
  assert.is(await resolveAddress(null), null);
  assert.is(await resolveAddress("127.0.0.1"), "127.0.0.1");
  const error = await resolveAddress("no.such.host.invalid").then(
    () => null,
    (reason: unknown) => reason,
  );
  assert.instance(error, SvcError);
  assert.is((error as SvcError).message, 'ip address does not resolve, got "no.such.host.invalid"');
});

test.run();
