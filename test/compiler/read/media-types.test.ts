// Media types of responses without an envelope, in types and tags.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { marks, pluginNamed, readSource } from "../reading.js";

const test = suite("media types of an HttpResponse");

const PNG = "const png = new Uint8Array([1]);\n";

function readResult(signature: string, body: string, tags = "", declarations = "") {
  const source = `${PNG}${declarations}
/** @plugin ${tags} */
export ${signature} { ${body} }`;
  const result = readSource(source);
  const { kind, shape, mediaTypes } = pluginNamed(result, "f").result;
  return { kind, shape, mediaTypes, diagnostics: result.diagnostics };
}

const F = "function f(request: PluginRequest)";

test("come from the type parameter", () => {
  const cases: readonly (readonly [string, readonly string[] | undefined])[] = [
    ['HttpResponse<"image/png">', ["image/png"]],
    ['HttpResponse<"image/webp" | "image/PNG">', ["image/png", "image/webp"]],
    [
      'HttpResponse<"text/css"> | HttpResponse<"text/html; charset=utf-8">',
      ["text/css", "text/html"],
    ],
    ["HttpResponse<`image/${string}`>", ["image/*"]],
    ["HttpResponse<Format>", ["a/b", "a/c"]],
    ["Promise<HttpResponse<'a/b'>>", ["a/b"]],
    ["HttpResponse", undefined],
    ["HttpResponse<'a/b'> | HttpResponse", undefined],
    ["HttpResponse<string>", undefined],
  ];
  for (const [type, expected] of cases) {
    const declared = readResult(`declare ${F}: ${type}`, "", "", 'type Format = "a/b" | "a/c";');
    assert.is(declared.kind, "http", type);
    assert.is(declared.shape, null);
    assert.equal(declared.mediaTypes, expected, type);
    assert.equal(declared.diagnostics, [], type);
  }
});

test("are inferred from the call of the constructor", () => {
  const body = 'return new HttpResponse(png, { type: "image/png" });';
  assert.equal(readResult(F, body).mediaTypes, ["image/png"]);
  assert.is(readResult(F, "return new HttpResponse(png);").mediaTypes, undefined);
});

test("stand beside values in an envelope", () => {
  const { kind, shape, mediaTypes } = readResult(
    `${F}: HttpResponse<"image/png"> | { n: int } | null`,
    "return null;",
  );
  assert.equal([kind, mediaTypes], ["http", ["image/png"]]);
  const n = { name: "n", optional: false, shape: { kind: "int" }, description: "" };
  const object = { kind: "object", properties: [n], additional: null };
  assert.equal(shape, { kind: "union", members: [{ kind: "null" }, object] });
});

test("come from the tag where the type states none", () => {
  const body = "return new HttpResponse(png);";
  assert.equal(
    readResult(`${F}: HttpResponse`, body, "@produces image/png, image/gif").mediaTypes,
    ["image/gif", "image/png"],
  );
});

test("are reported where they are invalid, or stated twice", () => {
  const source = (tags: string, type: string) => `/** @plugin ${tags} */
export function f(request: PluginRequest): ${type} { throw 0; }`;
  const cases = [
    ["", 'HttpResponse<"png">', ['SVC1149 HttpResponse<"png">']],
    ["@produces png", "HttpResponse", ["SVC1149 @produces png"]],
    ["@produces", "HttpResponse", ["SVC1149 @produces"]],
    ["@produces image/png", "int", ["SVC1149 @produces image/png"]],
    ["@produces image/png", 'HttpResponse<"a/b">', ["SVC1149 @produces image/png"]],
  ] as const;
  for (const [tags, type, expected] of cases) {
    const text = source(tags, type);
    const lines = marks(readSource(text), text).map((mark) => mark.trim());
    assert.equal(lines, expected, `${tags} ${type}`);
  }
});

test.run();
