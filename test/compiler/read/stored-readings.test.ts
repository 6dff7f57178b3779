// Stored readings: after any edit, a build with them gives the same result as a full build.

import {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { PluginReader } from "../../../compiler/read/plugin-reader.js";
import { ProjectReader } from "../../../compiler/read/project-reader.js";
import { ProjectFixture } from "../project-fixture.js";

const test = suite("stored readings");
const ROUNDS = Number(process.env.ROUNDS ?? 8);

const plugin = (name: string, type: string, imports = "") => `
import type { PluginRequest, int, str } from "svc-server";
${imports}
/** Does it. @plugin */
export function ${name}(request: PluginRequest, a: ${type}): ${type} { return a; }
`;
const importFrom = (name: string, file: string) =>
  `import type { ${name} } from "../lib/${file}.js";`;

const FILES: Readonly<Record<string, string>> = {
  "plugins/a.ts": plugin("first", "Point", importFrom("Point", "point")),
  "plugins/b.ts": plugin("second", "Box<Point>", importFrom("Point, Box", "point")),
  "plugins/c.ts": plugin("third", "int"),
  "plugins/d.ts": `${plugin("fourth", "Small", importFrom("Small", "small"))}
export { shared } from "../lib/shared.js";`,
  "lib/point.ts": `export type { Point } from "./deep.js";
export interface Box<T> { readonly held: T }`,
  "lib/deep.ts": "export interface Point { x: number }",
  "lib/small.ts": "/** @maximum 9 */\nexport type Small = number;\n",
  "lib/shared.ts": plugin("shared", "str"),
};

let hooks: string[] = ["./lib/hook.ts#guard"];
const HOOK = (field: string) => `import type { PluginRequest } from "svc-server";
export function guard(request: PluginRequest): void { request.headers.get("${field}"); }`;

class Project extends ProjectFixture {
  constructor(files: Readonly<Record<string, string>> = FILES) {
    super({ "lib/hook.ts": HOOK("x-one"), ...files });
  }

  files(): string[] {
    const names = ["plugins", "types"].flatMap((folder) =>
      existsSync(join(this.dir, folder))
        ? readdirSync(join(this.dir, folder)).map((name) => `${folder}/${name}`)
        : [],
    );
    return names.filter((name) => name.endsWith(".ts"));
  }

  get store(): string | undefined {
    const folder = join(this.dir, "node_modules/.cache/svc-server");
    const names = existsSync(folder) ? readdirSync(folder) : [];
    return names
      .filter((name) => name.startsWith("readings-"))
      .map((file) => join(folder, file))[0];
  }

  /** Returns the files that were read. */
  async build(staysOpen = false): Promise<string[]> {
    const options = { configured: [], tsconfig: "tsconfig.json", hooks, staysOpen };
    const described = ["package.json", "package-lock.json", "tsconfig.json"];
    const read: string[] = [];
    const { readSome, read: readAll } = PluginReader.prototype;
    PluginReader.prototype.readSome = function (files, ...more) {
      read.push(...files.map((file) => file.slice(file.lastIndexOf("/") + 1)));
      return readSome.call(this, files, ...more);
    };
    PluginReader.prototype.read = function () {
      // It calls itself to restore global declarations.
      if (read.at(-1) !== "all") read.push("all");
      return readAll.call(this);
    };
    const files = this.files();
    let output: string;
    try {
      const reader = new ProjectReader(this.dir, { ...options, described });
      output = JSON.stringify(await reader.read(files), null, 1);
    } finally {
      Object.assign(PluginReader.prototype, { readSome, read: readAll });
    }
    const fresh = new PluginReader(this.dir, files, [], "tsconfig.json", hooks).read();
    assert.is(output, JSON.stringify(fresh, null, 1));
    return read;
  }
}

const LAST_ALL = ["all"];

test("reads changed files and their dependents again", async () => {
  const project = new Project();
  assert.equal(await project.build(), LAST_ALL);
  assert.equal(await project.build(), []);
  assert.equal(await project.build(true), LAST_ALL);
  assert.equal(await project.build(), []);
  project.write("plugins/c.ts", plugin("third", "str"));
  assert.equal(await project.build(), ["c.ts"]);
  project.write("lib/deep.ts", "export interface Point { x: number; y: string }");
  assert.equal(await project.build(), ["a.ts", "b.ts"]);
  project.remove("plugins/a.ts");
  assert.equal(await project.build(), []);
  project.write("plugins/e.ts", plugin("fifth", "Point", importFrom("Point", "point")));
  assert.equal(await project.build(), ["e.ts"]);
  assert.equal(await project.build(), []);
});

test("reads everything again when a shared input changes", async () => {
  const project = new Project({ ...FILES, "types/all.d.ts": "type Everywhere = string;" });
  assert.equal(await project.build(), LAST_ALL);
  assert.equal(await project.build(), []);
  const shared: readonly (readonly [string, string])[] = [
    ["types/all.d.ts", "type Everywhere = number;"],
    ["package.json", '{ "name": "fixture", "version": "2.0.0", "type": "module" }'],
    ["package-lock.json", "{}"],
    ["tsconfig.json", '{ "compilerOptions": { "strict": false } }'],
    ["lib/hook.ts", HOOK("x-two")],
    ["lib/deep.ts", "export interface Point { x: number } declare global { type More = 1 }"],
    ["plugins/c.ts", `${plugin("third", "int")}\ndeclare global { type Later = 1 }`],
    ["plugins/c.ts", plugin("third", "int")],
    ["node_modules/svc-server/package.json", '{ "name": "svc-server", "types": "index.d.ts" }'],
  ];
  for (const [path, text] of shared) {
    project.write(path, text);
    assert.equal((await project.build()).at(-1), "all", path);
    assert.equal(await project.build(), [], path);
  }
});

test("reads everything again when the configuration names other hooks", async () => {
  const project = new Project();
  await project.build();
  const before = hooks;
  hooks = [];
  try {
    assert.equal(await project.build(), LAST_ALL);
  } finally {
    hooks = before;
  }
});

test("reads modules of hooks that only a tag names", async () => {
  const before = plugin("guarded", "str").replace(
    "@plugin",
    "\n * @plugin\n * @before lib/own.ts#guard\n",
  );
  const project = new Project({ ...FILES, "lib/own.ts": HOOK("x-own"), "plugins/g.ts": before });
  await project.build();
  assert.equal(await project.build(), []);
  project.write("lib/own.ts", HOOK("x-other"));
  assert.equal(await project.build(), ["g.ts"]);
  project.remove("lib/own.ts");
  await project.build();
  project.write("lib/own.ts", HOOK("x-again"));
  await project.build();
  assert.equal(await project.build(), []);
});

test("finds a module that is created where none existed", async () => {
  const use = plugin("late", "Late", 'import type { Late } from "../lib/late.js";');
  const project = new Project({ "plugins/late.ts": use, "plugins/c.ts": plugin("third", "int") });
  await project.build();
  project.write("lib/late.ts", "export type Late = string;");
  assert.equal(await project.build(), LAST_ALL);
  // A changed file may look elsewhere than it did.
  project.write("lib/more.d.ts", "export type More = string;");
  project.write("plugins/c.ts", plugin("third", "More", importFrom("More", "more")));
  assert.equal(await project.build(), ["c.ts"]);
  project.write("lib/more.ts", "export type More = number;");
  assert.equal(await project.build(), LAST_ALL);
});

test("reads everything again when a package is found elsewhere", async () => {
  const dep = (type: string) => `export type Dep = ${type};`;
  const manifest = '{ "name": "dep", "type": "module", "types": "index.d.ts" }';
  const project = new Project({
    "plugins/c.ts": plugin("third", "Dep", 'import type { Dep } from "dep";'),
    "one/package.json": manifest,
    "one/index.d.ts": dep("string"),
    "two/package.json": manifest,
    "two/index.d.ts": dep("number"),
  });
  const link = join(project.dir, "node_modules/dep");
  symlinkSync(join(project.dir, "one"), link, "dir");
  assert.equal(await project.build(), LAST_ALL);
  assert.equal(await project.build(), []);
  rmSync(link);
  symlinkSync(join(project.dir, "two"), link, "dir");
  assert.equal(await project.build(), LAST_ALL);
  project.write("plugins/node_modules/dep/package.json", manifest);
  project.write("plugins/node_modules/dep/index.d.ts", dep("boolean"));
  assert.equal(await project.build(), LAST_ALL);
});

test("reads everything again when a missing referenced file is created", async () => {
  const text = `/// <reference path="../lib/gone.d.ts" />
${plugin("third", "Gone")}`;
  const project = new Project({ "plugins/c.ts": text });
  await project.build();
  project.write("lib/gone.d.ts", "type Gone = string;");
  assert.equal(await project.build(), LAST_ALL);
});

test("reads everything again when the only import of global declarations is gone", async () => {
  const project = new Project({
    "plugins/c.ts": plugin("third", "int"),
    "plugins/g.ts": plugin("global", "str", 'import "../lib/global.js";'),
    "lib/global.ts": "export {}; declare global { type Everywhere = string }",
  });
  await project.build();
  project.remove("plugins/g.ts");
  assert.equal(await project.build(), LAST_ALL);
});

test("follows global declarations of packages while a type may depend on them", async () => {
  const typesPath = (name: string) => `node_modules/@types/${name}/index.d.ts`;
  const project = new Project({
    "tsconfig.json": '{ "compilerOptions": { "strict": true, "types": ["*"] } }',
    "plugins/a.ts": plugin("first", "Buffer"),
    "plugins/c.ts": plugin("third", "int"),
    [typesPath("made")]: "interface Buffer { readonly length: number }",
  });
  await project.build();
  assert.equal(await project.build(), []);
  project.write(typesPath("more"), "interface Buffer { readonly more: number }");
  assert.equal(await project.build(), LAST_ALL);
  project.write("plugins/c.ts", plugin("third", "Buffer"));
  assert.equal(await project.build(), ["c.ts"]);
  project.write("plugins/c.ts", plugin("third", "int"));
  assert.equal(await project.build(), ["c.ts"]);
  project.remove("plugins/a.ts");
  assert.equal(await project.build(), LAST_ALL);
  assert.equal(await project.build(), []);
});

test("keeps the reading of an unchanged plugin file that a changed file imports", async () => {
  const lent = `${plugin("lent", "int")}\nexport type Lent = string;`;
  const user = (type: string) => plugin("user", type, 'import type { Lent } from "./lent.js";');
  const project = new Project({ "plugins/lent.ts": lent, "plugins/user.ts": user("int") });
  await project.build();
  project.write("plugins/user.ts", user("Lent"));
  assert.equal(await project.build(), ["user.ts"]);
});

test("never stores readings with values that JSON cannot represent", async () => {
  const zero = plugin("zero", "number").replace("a: number", "a: number = -0");
  const project = new Project({ "plugins/c.ts": plugin("third", "int"), "plugins/z.ts": zero });
  await project.build();
  assert.equal(await project.build(), ["z.ts"]);
});

test("never stores readings with diagnostics", async () => {
  const warned = `import { readFileSync } from "node:fs";
${plugin("slow", "str").replace("return a", "readFileSync(a); return a")}`;
  const project = new Project({ ...FILES, "plugins/w.ts": warned });
  await project.build();
  assert.equal(await project.build(), ["w.ts"]);
  project.write("plugins/w.ts", plugin("slow", "str"));
  assert.equal(await project.build(), ["w.ts"]);
});

test("finds errors of types that several files share after the first of them is gone", async () => {
  const project = new Project({
    "plugins/a.ts": plugin("first", "Dep", 'import type { Dep } from "dep";'),
    "plugins/b.ts": plugin("second", "Dep", 'import type { Dep } from "dep";'),
    "node_modules/dep/package.json": '{ "name": "dep", "type": "module", "types": "index.d.ts" }',
    "node_modules/dep/index.d.ts": "/** @maximum 9 */\nexport interface Dep { x: string }",
  });
  await project.build();
  project.remove("plugins/a.ts");
  await project.build();
});

test("reads everything again when a package of compiler options has changed", async () => {
  const options = (file: string) =>
    JSON.stringify({
      compilerOptions: { module: "nodenext", paths: { far: [`../../lib/${file}.ts`] } },
    });
  const project = new Project({
    "tsconfig.json": '{ "extends": "options" }',
    "node_modules/options/package.json": '{ "name": "options", "tsconfig": "base.json" }',
    "node_modules/options/base.json": options("one"),
    "plugins/c.ts": plugin("third", "Far", 'import type { Far } from "far";'),
    "lib/one.ts": "export type Far = string;",
    "lib/two.ts": "export type Far = number;",
  });
  await project.build();
  assert.equal(await project.build(), []);
  project.write("node_modules/options/base.json", options("two"));
  assert.equal(await project.build(), LAST_ALL);
});

test("detects limits that no plugin uses any more", async () => {
  const project = new Project();
  await project.build();
  project.write("plugins/d.ts", plugin("fourth", "int", 'import "../lib/small.js";'));
  assert.equal(await project.build(), ["d.ts"]);
  assert.equal(await project.build(), []);
  project.write("plugins/d.ts", FILES["plugins/d.ts"]!);
  await project.build();
  // Which limits are read is not known if there are errors.
  project.write("plugins/d.ts", plugin("fourth", "symbol", 'import "../lib/small.js";'));
  assert.equal(await project.build(), ["d.ts"]);
});

test("distinguishes limits that several files use", async () => {
  const tree = `/** @minItems 1 */
export type Leaves = Leaf[];
export interface Tree { readonly leaves: Leaves }
export interface Leaf { readonly tree: Tree | null; /** @maximum 9 */ readonly size: number }
export declare function made(): { /** @maximum 5 */ readonly size: number };`;
  const project = new Project({
    "plugins/a.ts": plugin("first", "Tree", importFrom("Tree", "tree")),
    "plugins/b.ts": plugin("second", "Leaf", importFrom("Leaf", "tree")),
    "plugins/c.ts": plugin("third", "{ one: Leaf }", importFrom("Leaf", "tree")),
    "plugins/d.ts": plugin("fourth", "int", 'import "../lib/tree.js";'),
    "plugins/e.ts": plugin("fifth", "ReturnType<typeof made>", importFrom("made", "tree")),
    "plugins/f.ts": plugin("sixth", "ReturnType<typeof made>", importFrom("made", "tree")),
    "lib/tree.ts": tree,
  });
  await project.build();
  for (const removedName of ["a", "b", "c", "e"]) {
    project.remove(`plugins/${removedName}.ts`);
    assert.equal(await project.build(), [], removedName);
  }
});

test("never stores readings of unnamed recursive types", async () => {
  const tree = "{ readonly next: ReturnType<typeof grow> | null }";
  const self = `${plugin("grown", "int").replace(": int { return a", " { return grow()")}
function grow(): ${tree} { return { next: null }; }`;
  const project = new Project({ ...FILES, "plugins/self.ts": self });
  await project.build();
  assert.equal(await project.build(), ["self.ts"]);
});

test("a re-exported function belongs to its own file once that is a plugin file", async () => {
  const project = new Project({
    "types/shared.ts": plugin("shared", "str"),
    "plugins/d.ts": 'export { shared } from "../types/shared.js";',
  });
  let isIncluded = false;
  const readAll = project.files.bind(project);
  project.files = () => readAll().filter((file) => isIncluded || !file.startsWith("types"));
  await project.build();
  isIncluded = true;
  assert.equal(await project.build(), ["d.ts", "shared.ts"]);
  isIncluded = false;
  assert.equal(await project.build(), ["d.ts"]);
});

test("ignores a corrupt store", async () => {
  const project = new Project();
  await project.build();
  const good = readFileSync(project.store!, "utf8");
  const corrupt = [
    good.slice(0, good.length / 2),
    good.replace("first", "fjrst"),
    good.replace(/^./, (first) => (first === "0" ? "1" : "0")),
    "",
    "\n{}",
  ];
  for (const text of corrupt) {
    writeFileSync(project.store!, text);
    assert.equal(await project.build(), LAST_ALL, text.slice(0, 40));
    assert.equal(await project.build(), []);
  }
  rmSync(project.store!);
  assert.equal(await project.build(), LAST_ALL);
});

test("works without a writable store, and keeps the stores of 32 projects", async () => {
  const project = new Project();
  project.write("node_modules/.cache", "a file");
  assert.equal(await project.build(), LAST_ALL);
  project.remove("node_modules/.cache");
  const others = Array.from({ length: 40 }, (_, index) => {
    const name = `readings-${index.toString(16).padStart(16, "0")}.json`;
    project.write(`node_modules/.cache/svc-server/${name}`, "{}");
    const path = join(project.dir, "node_modules/.cache/svc-server", name);
    utimesSync(path, index + 1, index + 1);
    return name;
  });
  await project.build();
  const names = readdirSync(join(project.dir, "node_modules/.cache/svc-server")).sort();
  assert.equal(
    names.filter((name) => others.includes(name)),
    others.slice(-31),
  );
  assert.is(names.length, 32);
  assert.equal(await project.build(), []);
});

/** Pseudorandom numbers below `n`, the same for a seed. */
function dice(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * n);
  };
}

const TYPES = [
  "int",
  "Point",
  "Box<Point>",
  "Small",
  "Everywhere",
  "{ n: Point[] }",
  "any",
  "Buffer",
];
const IMPORTS = [importFrom("Point, Box", "point"), importFrom("Small", "small")].join("\n");

test("gives the same result as a full build after every edit", async () => {
  const seed = Number(process.env.SEED ?? 7);
  const roll = dice(seed);
  const project = new Project({
    ...FILES,
    "tsconfig.json": '{ "compilerOptions": { "strict": true, "types": ["made"] } }',
    "node_modules/@types/made/package.json": '{ "name": "@types/made", "version": "1.0.0" }',
    "node_modules/@types/made/index.d.ts": "interface Buffer { readonly length: number }",
  });
  const pick = <T>(values: readonly T[]): T => values[roll(values.length)]!;
  const name = () => pick(["a", "b", "c", "d", "e"]);
  const fields = () => pick(["x: number", "x: string; y?: int", "x: Buffer", "x: unknown"]);
  const int = 'import type { int } from "svc-server";';
  const edits: Record<string, () => void> = {
    type: () => {
      const added = name();
      project.write(`plugins/${added}.ts`, plugin(`of_${added}`, pick(TYPES), IMPORTS));
    },
    remove: () => rmSync(join(project.dir, `plugins/${name()}.ts`), { force: true }),
    deep: () => project.write("lib/deep.ts", `${int}\nexport interface Point { ${fields()} }`),
    small: () =>
      project.write(
        "lib/small.ts",
        `/** @maximum ${roll(3)} */
export type Small = ${pick(["number", "string"])};`,
      ),
    global: () => {
      const text = `export {}; declare global { type Everywhere = ${pick(["number", "string"])} }`;
      project.write(pick(["lib/shared.ts", "types/all.d.ts", "plugins/e.ts"]), text);
    },
    shared: () => project.write("lib/shared.ts", plugin("shared", pick(["int", "str"]))),
    moved: () => project.write(pick(["lib/point.d.ts", "lib/deep.d.ts"]), "export type Point = 1;"),
    back: () => {
      for (const file of ["lib/point.d.ts", "lib/deep.d.ts", "types/all.d.ts"])
        rmSync(join(project.dir, file), { force: true });
    },
    point: () => {
      if (roll(2) === 0) rmSync(join(project.dir, "lib/point.ts"), { force: true });
      else project.write("lib/point.ts", FILES["lib/point.ts"]!);
    },
    version: () => project.write("package.json", `{ "version": "${roll(9)}", "type": "module" }`),
    declared: () =>
      project.write(
        "node_modules/@types/made/index.d.ts",
        `interface Buffer { ${fields()} }
declare type int = number;`,
      ),
  };
  project.write("plugins/keep.ts", plugin("keep", "int"));
  for (let round = 0; round < ROUNDS; round++) {
    const done = Array.from({ length: 1 + roll(2) }, () => pick(Object.keys(edits)));
    for (const edit of done) edits[edit]!();
    try {
      await project.build();
    } catch (error) {
      throw new Error(`seed ${seed}, round ${round}, ${done.join()}: ${(error as Error).message}
${(error as { details?: string }).details ?? ""}`);
    }
  }
});

test.run();
