// Clients of services with unusual or malicious names and texts: everything compiles, is reachable
// under its documented name, and no text becomes code.
// limit: 60 s

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Argspec } from "../../argspec/argspec.js";
import {
  INTEGER,
  list,
  makeArgspec,
  object,
  optional,
  param,
  plugin,
  ref,
  STRING,
  tuple,
} from "../argspec/sample-argspec.js";
import { ClientProject } from "./support/client-project.js";

const test = suite("names in clients");

const METHODS = [
  ...["constructor", "then", "with", "delete", "toString", "search", "searchRaw", "search_raw"],
  ...["__proto__", "hasOwnProperty", "builtin", "services", "class", "await", "_1", "prototype"],
  ...["HASH", "Connection", "Client", "plugin", "arguments", "eval", "default", "length", "name"],
];
const TYPES = [
  ...["Client", "Error", "Array", "Promise", "Partial", "string", "void", "Search", "SearchParams"],
  ...["Builtin", "ErrorKind", "__proto__", "constructor", "Ünïcode", "$", "Envelope", "Fetch"],
];
const PARAMS = ["class", "__proto__", "constructor", "options", "params", "toString", "length"];

const TEXTS = [
  "*/ export const harm = 1; /*",
  "`$" + "{globalThis.harm = 1}` \\",
  "'; globalThis.harm = 1; //\n*/globalThis.harm = 1;/*",
  "</script><script>harm()</script>",
  "@deprecated gone @throws {Harm} x\n@deprecated",
  "\u2028*/ harm() /*\u2029 \u0000 \ud800 {@link x} */",
];

async function withClient(
  argspec: Argspec,
  check: (project: ClientProject) => Promise<void>,
): Promise<void> {
  const project = new ClientProject();
  try {
    project.write("argspec.json", JSON.stringify(argspec));
    await project.generate(join(project.folder, "argspec.json"));
    await check(project);
  } finally {
    project.remove();
  }
}

/** Calls each of `calls`, and prints the requests. */
function program(name: string, calls: readonly string[]): string {
  return `import { Client } from "${name}";
const asked: string[] = [];
const text = JSON.stringify({ status: "OK", response: 1, level: 0, partitions: null, exec_ms: 1 });
const client = new Client({
  baseUrl: "http://x",
  async fetch(url) {
    asked.push(url);
    return new Response(text, { headers: { "content-type": "application/json" } });
  },
});
${calls.map((call) => `await ${call};`).join("\n")}
console.log(JSON.stringify({ asked, harm: (globalThis as { harm?: unknown }).harm ?? null }));
`;
}

test("give every plugin, type and parameter a usable name", async () => {
  const $defs = Object.fromEntries(TYPES.map((name) => [name, list(INTEGER)]));
  const oddPlugin = plugin("odd", { params: PARAMS.map((name) => param(name)) });
  const typed = TYPES.map((name, index) =>
    optional(`p${index}`, { wire: "json", schema: ref(name) }),
  );
  const plugins = [
    ...METHODS.map((name) => plugin(name)),
    oddPlugin,
    plugin("typed", { params: typed }),
  ];
  await withClient(makeArgspec(plugins, $defs), async (project) => {
    const members = PARAMS.map((name) => `["${name}"]: "${name}"`).join(", ");
    const lists = TYPES.map((_, index) => `p${index}: [${index}]`).join(", ");
    const calls = [
      ...METHODS.map((name) => `client.${methodName(name)}()`),
      `client.odd({ ${members} })`,
      `client.typed({ ${lists} })`,
      "client.searchRaw()",
    ];
    project.write("use.mts", program(project.name, calls));
    assert.is(await project.compile("nodenext", ["use.mts"]), "");
    const { asked: requests } = (await project.run("out/use.mjs")) as { asked: readonly string[] };
    const paths = requests.map((url) => url.replace("http://x/svc/plugin/", ""));
    const typedQuery = TYPES.map((_, index) => `p${index}=%5B${index}%5D`).join("&");
    const oddQuery = PARAMS.map((name) => `${name}=${name}`).join("&");
    assert.equal(paths, [...METHODS, `odd?${oddQuery}`, `typed?${typedQuery}`, "search"]);
  });
});

/** By the table of names: with an underscore if the name is reserved, without a duplicate. */
function methodName(name: string): string {
  const taken = "constructor then with toString hasOwnProperty builtin services class await";
  return `${taken} searchRaw search_raw`.split(" ").includes(name)
    ? `${name}_`
    : name.replace(/^__/, "_");
}

test("never turn foreign texts into code", async () => {
  const harmful = TEXTS.map((text, index) =>
    plugin(`harm${index}`, {
      ...{ description: text, summary: text, returns: text, deprecated: true, deprecation: text },
      params: [optional("q", { description: text, default: text, schema: { enum: [text] } })],
      errors: [{ exception: text, description: text }],
      examples: [{ text }, { query: { q: text, [text]: text }, text }],
      result: { kind: "value", schema: object({ [text]: { const: text, description: text } }) },
    }),
  );
  const $defs = Object.fromEntries(
    TEXTS.map((text, index) => [`Harm${index}`, { ...tuple([STRING]), description: text }]),
  );
  await withClient(makeArgspec(harmful, $defs, TEXTS[0]!), async (project) => {
    project.write("use.mts", program(project.name, ["client.harm0()"]));
    project.write(
      "use.cts",
      `import sdk = require("${project.name}");\nnew sdk.Client({ baseUrl: "" });`,
    );
    assert.is(await project.compile("nodenext", ["use.mts", "use.cts"]), "");
    const ran = (await project.run("out/use.mjs")) as { harm: unknown };
    assert.is(ran.harm, null);
    assertComments(readFileSync(join(project.folder, "sdk", "index.d.ts"), "utf8"));
    const code = readFileSync(join(project.folder, "sdk", "index.js"), "utf8");
    const words = code.replace(/^\/\/.*|"(?:[^"\\]|\\.)*"/gm, "").match(/\w*harm\w*/g);
    const methods = TEXTS.flatMap((_, index) => [`harm${index}`, `harm${index}Raw`]);
    assert.equal([...new Set(words)].sort(), methods.sort());
  });
});

test("need no type instantiations for 1000 plugins", async () => {
  const numbers = Array.from({ length: 1000 }, (_, index) => index);
  const $defs = Object.fromEntries(
    numbers.map((n) => [`Item${n}`, object({ id: INTEGER, next: ref(`Item${(n + 1) % 1000}`) })]),
  );
  const plugins = numbers.map((n) => {
    const item = ref(`Item${n}`);
    const params = [param("q"), optional("at", { wire: "json", schema: item })];
    return plugin(`plugin${n}`, {
      params,
      result: { kind: "response", sortkey: INTEGER, item, meta: true },
    });
  });
  await withClient(makeArgspec(plugins, $defs), async (project) => {
    const call = `const found = await client.plugin7({ q: "x" });`;
    const use = `import type { Client } from "${project.name}";\ndeclare const client: Client;\n`;
    project.write(
      "use.mts",
      `${use}${call}\nexport const id: number = found.entries[0]![1].next.id;`,
    );
    const { errors, instantiations } = await project.measure("use.mts");
    assert.is(errors, 0);
    // Those of the one call.
    assert.ok(instantiations < 100, `${instantiations}`);
  });
});

/** Only our own tags are present. */
function assertComments(declarations: string): void {
  const comments = [...declarations.matchAll(/\/\*\*[\s\S]*?\*\//g)].map(([comment]) => comment);
  const tags = comments.flatMap((comment) => [...comment.matchAll(/(?:^|\s)@(\w+)/g)]);
  const known = ["returns", "throws", "example", "deprecated", "defaultValue"];
  assert.equal([...new Set(tags.map(([, tag]) => tag))].sort(), known.sort());
}

test.run();
