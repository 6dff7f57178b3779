// Positions in svc.config.ts: of values, of keys, and of the nearest enclosing literal.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ConfigLocations, type ConfigPath } from "../../../compiler/read/config-locations.js";

const test = suite("config locations");

/** Text at the position, with its line. */
function textAt(text: string, path: ConfigPath, ofKey = false): string {
  const { position, length } = new ConfigLocations("svc.config.ts", text).find(path, ofKey);
  const { file, line, column } = position;
  assert.is(file, "svc.config.ts");
  const shown = text.split("\n")[line - 1]!.slice(column - 1, column - 1 + length);
  return `${line}: ${shown}`;
}

const FILE = `import { defineConfig } from "svc-server/config";
import { shared } from "./shared.js";
const port = 70_000;
const back = { host: "a", port: "b" };
const http = { port, prefix: "svc", trusted: ["::1", "x"] } as const;
export default defineConfig({
  http: { ...http, cors: "a b" },
  "saveEvery": -1,
  dispatcher: ({ partitions: [[back]], replicas: [{ chanels: 1 }] } satisfies object),
  graphs: { ...shared, "1g": {} },
  executors: count(),
  plugins: [...shared, "/a"],
});
`;

test("are those where values are written, through any references", () => {
  const cases: [ConfigPath, string][] = [
    [["saveEvery"], "8: -1"],
    [["http", "cors"], '7: "a b"'],
    [["http", "prefix"], '5: "svc"'],
    [["http", "trusted", 1], '5: "x"'],
    [["http", "port"], "5: port"],
    [["dispatcher", "partitions", 0, 0, "port"], '4: "b"'],
    [["executors"], "11: count()"],
  ];
  for (const [path, text] of cases) assert.is(textAt(FILE, path), text);
});

test("are those of the key for an invalid key", () => {
  assert.is(textAt(FILE, ["dispatcher", "replicas", 0, "chanels"], true), "9: chanels");
  assert.is(textAt(FILE, ["graphs", "1g"], true), '10: "1g"');
});

test("are those of the enclosing expression for missing and computed values", () => {
  assert.is(textAt(FILE, ["http", "maxBodyBytes"]), '7: { ...http, cors: "a b" }');
  assert.is(textAt(FILE, ["graphs", "shop", "path"]), '10: { ...shared, "1g": {} }');
  assert.is(textAt(FILE, ["plugins", 1]), '12: [...shared, "/a"]');
  assert.is(textAt(FILE, ["dispatcher", "replicas", 1]), "9: [{ chanels: 1 }]");
  assert.is(textAt(FILE, []), "6: {");
  assert.is(textAt("export default make();\n", ["http", "port"]), "1: make()");
  assert.is(textAt("const a = a as never;\nexport default a;\n", ["root"]), "2: a");
  assert.is(textAt("module.exports = {};\n", ["root"]), "1: m");
  assert.is(textAt("", ["root"]), "1: ");
});

test("are those of the last of duplicate keys", () => {
  assert.is(textAt('export default { root: 1, ["x"]: 2, root: 3 };', ["root"]), "1: 3");
  assert.is(textAt("export default { root: 1, ...{ root: 5 } };", ["root"]), "1: 5");
  assert.is(
    textAt("export default { toString() { return 1; } };", ["toString"]),
    "1: { toString() { return 1; } }",
  );
});

test.run();
