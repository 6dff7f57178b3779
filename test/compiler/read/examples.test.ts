// Parsing of examples: which texts are calls of the plugin, and their arguments.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Argspec, ExampleSpec } from "../../../argspec/argspec.js";
import { emitArgspec } from "../../../compiler/emit/argspec.js";
import { pluginNamed, readSource } from "../reading.js";

const test = suite("examples");

/** A documentation comment with one example. */
function documented(lines: readonly string[], rest: string): string {
  const text = lines.map((line) => ` * ${line}\n`).join("");
  return `/**\n * Finds.\n *\n * @plugin\n${text} */\n${rest}`;
}

const SEARCH = `export function search(
  request: PluginRequest, q: str, n: int = 1, at?: { x: float; tags?: str[] }, content?: json,
) { return q; }
`;

/** Argspec content for examples of `search`. */
function readExamples(texts: readonly string[]): readonly ExampleSpec[] {
  const lines = texts.flatMap((text) => ["@example", ...text.split("\n")]);
  const result = readSource(documented(lines, SEARCH));
  assert.equal(result.diagnostics, []);
  const service = { name: null, prefix: null };
  const text = emitArgspec(service, result.plugins, result.types, "/svc/plugin/");
  const { plugins } = JSON.parse(text) as Argspec;
  return plugins[0]!.examples;
}

/** Asserts that each of these examples is a call with these values; null: that it is not a call. */
function expectQuery(query: object | null, texts: readonly string[]): void {
  const expected = texts.map((text) => (query === null ? { text } : { query, text }));
  assert.equal(readExamples(texts), expected);
}

test("parse requests: a query, a URL, a command", () => {
  expectQuery({ q: "os", n: 2 }, [
    ...["?q=os&n=2", "search?q=os&n=2", "/svc/plugin/search?q=os&n=2", "?q=a&q=os&n=%32&"],
    ...["GET /plugin/search?q=os&n=2", "http://127.0.0.1:9000/svc/plugin/search?q=os&n=2"],
    '$ curl -s "http://a:1/svc/plugin/search?q=os&n=2"',
    "curl -d '{}' '/plugin/search?q=os&n=2'",
  ]);
  expectQuery({ q: "a bü" }, ["curl \\\n  'http://a/plugin/search?q=a+b%C3%BC' \\\n  -s"]);
  expectQuery({ q: "", at: { x: 1, tags: ["a"] } }, ['?q=&at={"x":1,"tags":["a"]}']);
  expectQuery({ q: "(int)5", n: 2 }, ["?q=(int)5&n=(float)2"]);
  expectQuery({ n: 2, q: "" }, ["?n=2&q"]);
  expectQuery({}, ["http://a/plugin/search"]);
  expectQuery({ q: "os", n: 2 }, ["http://a/plugin/search?q=os&n=2#first"]);
  // Their values are not read, but they send more than the URL.
  expectQuery(null, [
    "curl -G http://a/plugin/search -d n=2 --data-urlencode 'q=a b'",
    "curl --get http://a/plugin/search?q=os --data n=2",
    "curl -G \\\n  http://a/plugin/search \\\n  -d q=os",
  ]);
});

test("parse calls of a client", () => {
  expectQuery({ q: "os", n: 2 }, [
    ...['search({ q: "os", n: 2 })', "const hits = await shop.search({ q: 'os', n: +2 });"],
    ...["await new Client(options).search({ q: `os`, n: 2, at: undefined }, { timeoutMs: 5 })"],
    ...['const { response } = await shop.searchRaw({ "q": "os", n: (2 as int) });'],
    ...['for (const hit of (await shop.search({ q: "os", n: 2 })).entries) console.log(hit);'],
    "search({ q })\nsearch({ q: 'os', n: 2 })",
  ]);
  const call = "search({ q: '', n: -1, at: { x: 1.5, tags: ['a', null] } })";
  expectQuery({ q: "", n: -1, at: { x: 1.5, tags: ["a", null] } }, [call]);
  const body = 'shop.search({ q: "os", content: { a: [true] } })';
  expectQuery({ q: "os", content: { a: [true] } }, [body]);
  expectQuery({}, ["shop.search()"]);
});

test("parse calls of the function without server arguments", () => {
  expectQuery({ q: "os", n: 2 }, [
    'search(request, "os", 2)',
    'assert.equal(search(request, "os", 2, undefined), [])',
  ]);
  const text = "search({} as PluginRequest, `os`, 1, undefined, [1])";
  expectQuery({ q: "os", n: 1, content: [1] }, [text]);
});

test("keep only the text when values need code execution", () => {
  expectQuery(null, [
    ...["search({ q })", "search({ q: name })", "search({ ...options })", "search({ [key]: 1 })"],
    ...[`search({ q: \`a\${b}\` })`, "search(request, ...args)", "search({ at: { ...here } })"],
    ...["search({ q: 'a', at: { x: sum(1, 2) } })", "search({ q: 'a', n: 2n })"],
  ]);
});

test("treat anything except a call of the plugin as prose", () => {
  expectQuery(null, [
    ...["q=os&n=2", "what? search(it), then", "Use search(q) to find", "?q=os finds Oslo", "?"],
    ...["find({ q: 1 })", 'list.search("q")', "new search({ q: 1 })", "search", "search({ q:"],
    ...["GET /svc/plugin/other?q=1", "/svc/plugin/search2?q=1", "?=1", "`search`", "$", "curl"],
    ...["search({ q: 'a', ... })", "it's search({ q: 'a' })", "?q"],
  ]);
});

test("allow prose, captions, fences and comments around calls", () => {
  const call = "await shop.search({ q: 'os' }) // Oslo";
  expectQuery({ q: "os" }, [
    `Finds what begins so:\n${call}`,
    `<caption>It's nearest search(first)</caption>\n${call}`,
    `\`\`\`ts\n${call}\n\`\`\``,
    `Finds:\n\`\`\`typescript\n${call}\n\`\`\`\nor it doesn't\n\n  any.`,
    `\`\`\`\nconst shop = open();\n\n${call}`,
    '```json\n{ "search": search({ q: 1 }) }\n```\n```sh\n?q=os\n```',
    "```ts\nif (x) {\n  search({ q: 'os' });\n}\n```",
  ]);
});

test("match names of the plugin and its function, static methods with their class", () => {
  const source = `
${documented(["@example", "find({ a: 1 })", "@example search({ a: 2 })"], "")}
export const search = plugin({ name: "find" }, (request, a: int) => a);
export class Shop {
  /**
   * @example Shop.buy(request, "a")
   * @example shop.buy({ item: "b" })
   * @example buy(request, "c")
   */
  @plugin static buy(request: PluginRequest, item: str) { return item; }
}
`;
  const result = readSource(source.replace(" * @plugin\n", ""));
  assert.equal(result.diagnostics, []);
  const exampleForms = (name: string) =>
    pluginNamed(result, name).examples.map(({ calls }) => calls.map(({ form }) => form).join());
  assert.equal(exampleForms("find"), ["client", "client"]);
  assert.equal(exampleForms("buy"), ["function", "client", ""]);
});

test("have no parameters for post-processors", () => {
  const source = `
/** @example ?q=1 */
export const after = plugin.post({ name: "search" }, (response) => response);
`;
  assert.equal(pluginNamed(readSource(source), "search").examples, [{ text: "?q=1", calls: [] }]);
});

test.run();
