// `svc graph import` and `svc graph export`: all file formats, invalid files, round trips, and
// resuming a killed import.
// limit: 120 s
// takes 10 s

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { RejectedRecords } from "../../cli/graph/rejected-records.js";
import { svcHere } from "./support/server.js";

const test = suite("graph import and export");
const root = mkdtempSync(join(tmpdir(), "svc-import-"));
test.after(() => rmSync(root, { recursive: true }));

const pathTo = (name: string): string => join(root, name);

/** Runs `svc graph ...`; returns its output. */
async function graph(...words: string[]): Promise<{ code: number; out: string; err: string }> {
  const { code, stdout, stderr } = await svcHere("graph", ...words, "--root", pathTo("graphs"));
  return { code, out: stdout, err: stderr };
}

async function lines(name: string): Promise<Record<string, unknown>[]> {
  const { code, out, err } = await graph("export", "--graph", name);
  assert.is(code, 0, err);
  return out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

test("round-trip JSON lines", async () => {
  const records = [
    { id: "a", type: "thing", properties: { n: 1, t: "é", b: { $bytes: "AQI=" } }, vector: [3, 4] },
    { id: "b", expires: 4_000_000_000, properties: { list: [1, 2] } },
    { initial: "a", relationship: "to", modifier: "M_INT", value: -5, terminal: "b" },
    { initial: "a", relationship: "to", modifier: "M_CNT", value: 7, terminal: "virtual" },
    { initial: "a", relationship: "is", modifier: "M_STAT", terminal: "b" },
    { initial: "b", relationship: "f", modifier: "M_FLT|M_FWDONLY", value: 0.5, terminal: "c" },
  ];
  writeFileSync(pathTo("a.jsonl"), records.map((record) => JSON.stringify(record)).join("\n"));
  for (let twice = 0; twice < 2; twice++) {
    const { code, out, err } = await graph("import", pathTo("a.jsonl"), "--graph", "g");
    assert.is(code, 0, err);
    assert.match(out, /6 records in .*: 4 vertices, 4 arcs/);
  }
  const exported = await lines("g");
  const vertex = exported.find(({ id }) => id === "a")!;
  assert.equal(
    [vertex.type, vertex.properties],
    ["thing", { n: 1, t: "é", b: { $bytes: "AQI=" } }],
  );
  const bytes = Buffer.from(vertex.vector as string, "base64");
  assert.equal([bytes.length, bytes.readFloatLE(4)], [128, 4]);
  assert.is(exported.find(({ id }) => id === "b")!.expires, 4_000_000_000);
  assert.is(exported.length, 6);
  writeFileSync(pathTo("b.jsonl"), exported.map((record) => JSON.stringify(record)).join("\n"));
  await graph("import", pathTo("b.jsonl"), "--graph", "h");
  assert.equal(await lines("h"), exported);
  assert.not(existsSync(join(pathTo("graphs"), "h", "import.json")));
});

test("round-trip vectors by name, with their precision", async () => {
  const image = Buffer.from(new Float32Array(32).fill(0.5).buffer).toString("base64");
  const named = { image: { precision: "float32", measure: "dot" } };
  const records = [
    { vectors: { precision: "int8", measure: "cosine", named } },
    { id: "a", vectors: { image, tags: [["red", 1]] } },
  ];
  writeFileSync(pathTo("n.jsonl"), records.map((record) => JSON.stringify(record)).join("\n"));
  assert.is((await graph("import", pathTo("n.jsonl"), "--graph", "named")).code, 0);
  const [settings, a] = await lines("named");
  assert.equal((settings!.vectors as { named: object }).named, {
    tags: { precision: "int8", measure: "cosine" },
    ...named,
  });
  assert.equal(a, records[1]);
  writeFileSync(pathTo("n.csv"), "id,vector:image,price\nb,1 2 3,4\n");
  assert.is((await graph("import", pathTo("n.csv"), "--graph", "named")).code, 0);
  const b = (await lines("named")).find(({ id }) => id === "b")!;
  const floats = Buffer.from((b.vectors as { image: string }).image, "base64");
  assert.equal([floats.readFloatLE(8), b.properties], [3, { price: 4 }]);
});

test("convert vectors, and round-trip their precision and digits", async () => {
  const records = [
    { vectors: { precision: "float32", measure: "l2" } },
    { id: "a", vector: [0.1, 1] },
  ];
  writeFileSync(pathTo("p.jsonl"), records.map((record) => JSON.stringify(record)).join("\n"));
  await graph("import", pathTo("p.jsonl"), "--graph", "precise");
  const exported = await lines("precise");
  assert.equal(exported[0], records[0]);
  const bytes = Buffer.from(exported[1]!.vector as string, "base64");
  assert.is(bytes.readFloatLE(0), Math.fround(0.1));
  const rebuild = ["rebuild-vectors", "--graph", "precise", "--precision", "float16"];
  const { code, out, err } = await graph(...rebuild);
  assert.is(code, 0, err);
  assert.match(out, /1 vectors converted to float16/);
  const [settings] = await lines("precise");
  assert.equal(settings, { vectors: { precision: "float16", measure: "l2" } });
  const failure = await graph(...rebuild, "--url", "http://127.0.0.1:1");
  assert.is(failure.code, 1);
  assert.match(failure.err, /SVC2701/);
});

test("import rows of CSV, .npy and .fvecs as vertices", async () => {
  writeFileSync(
    pathTo("v.csv"),
    'id,type,price,name,vector\nx,item,1.5,"a ""b"", c",1 2 3\ny,,,,\n',
  );
  assert.is((await graph("import", pathTo("v.csv"), "--graph", "csv")).code, 0);
  const [x, y] = await lines("csv");
  assert.equal(
    [x!.id, x!.type, x!.properties, typeof x!.vector],
    ["x", "item", { name: 'a "b", c', price: 1.5 }, "string"],
  );
  assert.equal(y, { id: "y" });
  const floats = Buffer.from(new Float32Array([1, 2, 3, 4, 5, 6]).buffer);
  const head = `${"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }".padEnd(117)}\n`;
  const magic = Buffer.from([0x93, ...Buffer.from("NUMPY"), 1, 0, head.length, 0]);
  writeFileSync(pathTo("v.npy"), Buffer.concat([magic, Buffer.from(head), floats]));
  const fvec = (numbers: number[]): Buffer =>
    Buffer.concat([Buffer.from([3, 0, 0, 0]), Buffer.from(new Float32Array(numbers).buffer)]);
  writeFileSync(pathTo("v.fvecs"), Buffer.concat([fvec([1, 2, 3]), fvec([4, 5, 6])]));
  for (const form of ["npy", "fvecs"]) {
    const { code, err } = await graph(
      "import",
      pathTo(`v.${form}`),
      "--graph",
      form,
      "--id-prefix",
      "p",
    );
    assert.is(code, 0, err);
    const vectors = await lines(form);
    assert.equal(
      vectors.map(({ id, vector }) => [id, Buffer.from(vector as string, "base64").readFloatLE(8)]),
      [
        ["p1", 3],
        ["p2", 6],
      ],
    );
  }
});

test("resume an import from the last save", async () => {
  const first = '{"id": "one"}\n';
  writeFileSync(pathTo("part.jsonl"), `${first}{"id": "two"}\n`);
  await graph("import", pathTo("part.jsonl"), "--graph", "part");
  const { size, mtimeMs } = statSync(pathTo("part.jsonl"));
  const saved = {
    file: pathTo("part.jsonl"),
    bytes: size,
    changedAt: mtimeMs,
    end: first.length,
    line: 1,
  };
  writeFileSync(join(pathTo("graphs"), "part", "import.json"), JSON.stringify(saved));
  const { out, err } = await graph("import", pathTo("part.jsonl"), "--graph", "part");
  assert.match(out, /^1 records in .*: 2 vertices/);
  assert.match(err, /resuming after line 1/);
  writeFileSync(
    join(pathTo("graphs"), "part", "import.json"),
    JSON.stringify({ ...saved, bytes: 9 }),
  );
  assert.match((await graph("import", pathTo("part.jsonl"), "--graph", "part")).out, /^2 records/);
});

const WRONG: readonly (readonly [string, string, RegExp])[] = [
  ["a.jsonl", '{"id": "a"}\n{"id": }\n', /a\.jsonl:2: .*JSON/],
  ["a.jsonl", "[1]\n", /a\.jsonl:1: expected a JSON object/],
  ["a.jsonl", '{"id": "a", "nme": 1}\n', /a\.jsonl:1: unknown member "nme"; expected: id, type, /],
  ["a.jsonl", '{"id": 7}\n', /a\.jsonl:1: /],
  ["a.jsonl", '{"id": "a", "vector": [1, null]}\n', /vector\[1\] must be a number/],
  ["a.jsonl", '{"initial": "a", "modifier": "M_X", "terminal": "b"}\n', /unknown modifier "M_X"/],
  ["a.csv", "id,n\na,1,2\n", /a\.csv:2: expected 2 fields, got 3/],
  ["a.csv", 'id\n"a\n', /a\.csv:\d+: Quote Not Closed/],
  ["a.npy", "no", /rows of little-endian float32/],
  ["a.fvecs", "\u0003\u0000\u0000\u0000abc", /row 1 is truncated/],
  ["a.txt", "a", /unknown format of .*a\.txt/],
];

test("an export ends quietly with its reader", async () => {
  const records = Array.from({ length: 5000 }, (_, index) => `{"id":"${"x".repeat(50)}${index}"}`);
  writeFileSync(pathTo("many.jsonl"), records.join("\n"));
  assert.is((await graph("import", pathTo("many.jsonl"), "--graph", "many")).code, 0);
  const svc = `${process.execPath} ${join("bin", "svc.cjs")}`;
  const command = `${svc} graph export --graph many --root ${pathTo("graphs")} | head -1`;
  const { stdout, stderr } = spawnSync("sh", ["-c", command], { encoding: "utf8" });
  assert.equal([JSON.parse(stdout).id.length, stderr], [51, ""]);
});

test("report invalid input with its line", async () => {
  for (const [name, content, message] of WRONG) {
    writeFileSync(pathTo(name), content);
    const { code, err } = await graph("import", pathTo(name), "--graph", "bad");
    assert.is(code, 1, name + content);
    assert.match(err, /SVC3060/);
    assert.match(err, message);
  }
  assert.match((await graph("import", pathTo("none.csv"), "--graph", "g")).err, /file not found/);
  assert.match((await graph("import", pathTo("a.csv"))).err, /name missing/);
  assert.match((await graph("export", "--graph", "none")).err, /graph "none" not found/);
  const out = join(root, "no", "folder", "x");
  assert.match((await graph("export", out, "--graph", "g")).err, /SVC3061/);
});

test("build a text index with the import", async () => {
  const lines = ["red shoe", "blue shoe"].map((title, index) =>
    JSON.stringify({ id: `p${index}`, properties: { title } }),
  );
  writeFileSync(pathTo("texts.jsonl"), lines.join("\n"));
  const options = ["--graph", "texts", "--text-index", "title"];
  const { code, err } = await graph("import", pathTo("texts.jsonl"), ...options);
  assert.is(code, 0, err);
  const { out } = await graph("export", "--graph", "texts");
  assert.is(out.split("\n").filter((line) => line !== "").length, 2);
  const json = JSON.stringify({ keys: ["title"], language: "xx" });
  const failure = await graph(
    "import",
    pathTo("texts.jsonl"),
    "--graph",
    "t",
    "--text-index",
    json,
  );
  assert.is(failure.code, 1);
  assert.match(failure.err, /--text-index: invalid language/);
  const broken = await graph("import", pathTo("texts.jsonl"), "--graph", "t", "--text-index", "{");
  assert.match(broken.err, /invalid JSON in --text-index/);
});

test("import quoted newlines of CSV", async () => {
  writeFileSync(pathTo("lines.csv"), '\ufeffid,text\r\na,"one\r\ntwo ""2"""\r\n\r\nb,"x"\r\n');
  const { code, err } = await graph("import", pathTo("lines.csv"), "--graph", "lines");
  assert.is(code, 0, err);
  assert.equal(await lines("lines"), [
    { id: "a", properties: { text: 'one\r\ntwo "2"' } },
    { id: "b", properties: { text: "x" } },
  ]);
});

test("skip invalid records with --skip-bad, and keep them in a file", async () => {
  const bad = ['{"id":5}', '{"id":', '{"id":"x","color":1}', '{"initial":"a","terminal":7}'];
  writeFileSync(pathTo("bad.jsonl"), ['{"id":"a"}', ...bad, '{"id":"b"}'].join("\n"));
  writeFileSync(pathTo("bad.rejected.jsonl"), "of an earlier import, perhaps corrected");
  const failure = await graph("import", pathTo("bad.jsonl"), "--graph", "bad");
  assert.is(failure.code, 1);
  assert.ok(existsSync(pathTo("bad.rejected.jsonl")));
  assert.match(failure.err, /bad\.jsonl:2: id must be a string, but is 5/);
  const { code, out, err } = await graph(
    "import",
    pathTo("bad.jsonl"),
    "--graph",
    "bad",
    "--skip-bad",
  );
  assert.is(code, 0, err);
  assert.match(out, /2 records in .*: 2 vertices, 0 arcs/);
  assert.match(out, /4 records rejected: .*bad\.rejected\.jsonl/);
  assert.match(err, /bad\.jsonl:5: terminal must be a string, but is 7/);
  assert.is(readFileSync(pathTo("bad.rejected.jsonl"), "utf8"), `${bad.join("\n")}\n`);
});

test("append rejected records of a resumed import, with one header", () => {
  const add = (text: string, line: number) => {
    const rejected = new RejectedRecords(pathTo("resumed.csv"), true);
    rejected.add({ line, end: 0, header: "id", text, value: () => ({}) }, "for a test");
    rejected.close();
  };
  add("a", 2);
  add("b", 3);
  assert.is(readFileSync(pathTo("resumed.rejected.csv"), "utf8"), "id\na\nb\n");
});

/** A program that adds a constraint to the graph "shop". */
const CONSTRAIN = `
import { Graph, system } from ${JSON.stringify(join(import.meta.dirname, "../../dist/index.js"))};
await system.initialize("constrain", { root: ${JSON.stringify(pathTo("graphs"))} });
const graph = new Graph("shop");
graph.constrain({ type: "person", key: "email", unique: true, required: true });
graph.save(-1);
await system.unload();
`;

test("skip records that break constraints with --skip-bad", async () => {
  writeFileSync(pathTo("shop.jsonl"), '{"id":"ann","type":"person","properties":{"email":"a"}}');
  assert.is((await graph("import", pathTo("shop.jsonl"), "--graph", "shop")).code, 0);
  const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", CONSTRAIN]);
  assert.is(status, 0, String(stderr));
  const same = '{"id":"bob","type":"person","properties":{"email":"a"}}';
  const plainLine = '{"id":"cee","type":"person"}';
  const changed = '{"id":"ann","type":"person","properties":{"email":null,"age":5}}';
  const good = '{"id":"dan","type":"person","properties":{"email":"d"}}';
  writeFileSync(pathTo("more.jsonl"), [same, plainLine, changed, good].join("\n"));
  const { code, out, err } = await graph(
    "import",
    pathTo("more.jsonl"),
    "--graph",
    "shop",
    "--skip-bad",
  );
  assert.is(code, 0, err);
  assert.match(out, /1 records in .*: 2 vertices, 0 arcs/);
  assert.match(
    err,
    /more\.jsonl:1: constraint of person\.email: 'bob' has the same value as 'ann'/,
  );
  assert.match(err, /more\.jsonl:2: constraint of person\.email: 'cee' has no value/);
  assert.is(
    readFileSync(pathTo("more.rejected.jsonl"), "utf8"),
    `${[same, plainLine, changed].join("\n")}\n`,
  );
  // A rejected record changes nothing, not even its other properties.
  assert.equal((await lines("shop")).at(0)!.properties, { email: "a" });
});

test("keep the header of rejected rows of CSV", async () => {
  writeFileSync(pathTo("rows.csv"), 'id,price\na,1\nb,2,3\nc,"4\n"5"\nd,6\n');
  const { code, out, err } = await graph(
    "import",
    pathTo("rows.csv"),
    "--graph",
    "r",
    "--skip-bad",
  );
  assert.is(code, 0, err);
  assert.match(out, /rejected: .*rows\.rejected\.csv/);
  assert.match(readFileSync(pathTo("rows.rejected.csv"), "utf8"), /^id,price\nb,2,3\n/);
  assert.ok((await lines("r")).some(({ id }) => id === "a"));
});

test.run();
