// Documents match reality: their programs are compiled and run, their commands sent to a server.
// support/document.ts describes how a document states its expectations.
// limit: 120 s
// takes 20 s

import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { packageRoot } from "../../runtime/base/package-info.js";
import { type Command, Document, parseFences } from "./support/document.js";
import { seedShop } from "./support/seed-shop.js";
import { buildProject, type RunningServer, serve } from "./support/server.js";
import { NODE_TYPES, TemporaryProject } from "./support/temporary-project.js";

const test = suite("documents");
const ROOT = packageRoot();
const hasCurl = spawnSync("curl", ["--version"]).status === 0;

/** Prints a line for every broken expectation. */
const CHECKER = `
const shown = (value: unknown) => JSON.stringify(value, (_, part) =>
  typeof part === "bigint" ? Number(part) : ArrayBuffer.isView(part) ? [...(part as never)] : part);
async function check(line: number, run: () => Promise<unknown>, expected: unknown) {
  const got = await run().catch((error: unknown) => String(error));
  if (shown(got) !== shown(expected)) console.log(line + ": gives " + shown(got));
}
async function checkError(line: number, run: () => Promise<unknown>, expected: string) {
  const got = await run().then((value) => "no error: " + shown(value), String);
  if (!got.startsWith(expected)) console.log(line + ": " + got);
}
`;
const TSCONFIG = {
  compilerOptions: {
    target: "es2023",
    lib: ["es2023", "es2024.sharedmemory", "esnext.disposable"],
    module: "nodenext",
    strict: true,
    skipLibCheck: true,
    outDir: "out",
    types: [],
  },
};

/** A project that holds programs. */
function createProject(programs: readonly string[]): TemporaryProject {
  const names = programs.map((_, index) => `program${index}.ts`);
  return new TemporaryProject({
    "tsconfig.program.json": JSON.stringify({ ...TSCONFIG, files: ["console.d.ts", ...names] }),
    "console.d.ts": "declare const console: { log(...values: unknown[]): void };\n",
    ...Object.fromEntries(names.map((name, index) => [name, programs[index]!])),
  });
}

/** Errors of the compiler. */
function compile({ folder }: TemporaryProject): string {
  const words = [join(ROOT, "node_modules/typescript/bin/tsc"), "-p", "tsconfig.program.json"];
  const options = { cwd: folder, encoding: "utf8", timeout: 60_000 } as const;
  return spawnSync(process.execPath, words, options).stdout;
}

/** The lines that a compiled program prints, or the error. */
function runCompiled({ folder }: TemporaryProject, index: number): string {
  const options = { cwd: folder, encoding: "utf8", timeout: 60_000 } as const;
  const words = [`out/program${index}.js`];
  const { stdout, stderr, status } = spawnSync(process.execPath, words, options);
  return status === 0 ? stdout : `${stdout}${stderr}`;
}

/**
 * Compiles and runs a program; the lines that it prints, or the error.
 * @param around the project in whose folder it is, built; null: an empty one
 */
async function run(program: string, around: string | null = null): Promise<string> {
  const project = createProject([program]);
  try {
    if (around !== null) {
      const plugins = join(ROOT, around, "plugins");
      cpSync(plugins, join(project.folder, "plugins"), { recursive: true });
      const { compilerOptions } = JSON.parse(NODE_TYPES);
      const options = { ...compilerOptions, lib: ["es2023", "es2024.sharedmemory"] };
      project.write("tsconfig.json", JSON.stringify({ compilerOptions: options }));
      await buildProject(project.folder);
    }
    const errors = compile(project);
    return errors === "" ? runCompiled(project, 0) : `${errors}\n${program}`;
  } finally {
    project.remove();
  }
}

/** Parts that differ in each run. */
function masked(text: string, port: number): string {
  return text
    .replaceAll(String(port), "9000")
    .replaceAll(String(port + 1), "9001")
    .replace(/"exec_ms": ?[\d.]+/g, '"exec_ms": 0')
    .trimEnd();
}

interface ServedExample {
  readonly server: RunningServer;
  /** Working folder of the commands, which contains the data folder. */
  readonly temporary: string;
}

/** Servers that run, by project. */
const running = new Map<string, ServedExample>();

/** Returns the server of a project; all documents that name the project share it. */
async function serveExample(served: string): Promise<ServedExample> {
  const known = running.get(served);
  if (known !== undefined) return known;
  const folder = join(ROOT, served);
  await buildProject(folder);
  const temporary = mkdtempSync(join(tmpdir(), "svc-documents-"));
  // As in an installation: `svc` is a command.
  symlinkSync(join(ROOT, "bin/svc.cjs"), join(temporary, "svc"));
  const data = join(temporary, "data");
  if (served === "examples/shop") seedShop(data);
  const started = { server: await serve(folder, "--root", data), temporary };
  running.set(served, started);
  return started;
}

test.after(async () => {
  for (const { server, temporary } of running.values()) {
    await server.end();
    rmSync(temporary, { recursive: true });
  }
});

/** Sends commands to a server of a project; a line for each with other output. */
async function unexpectedOutput(served: string, commands: readonly Command[]): Promise<string> {
  const { server, temporary } = await serveExample(served);
  const environment = { DATA: join(temporary, "data"), BACKUP: join(temporary, "backup") };
  const env = { ...process.env, ...environment, PATH: `${temporary}:${process.env.PATH}` };
  const findings: string[] = [];
  for (const { line, command, output } of commands) {
    const mapped = command.replaceAll("9001", String(server.port + 1));
    const mappedCommand = mapped.replaceAll("9000", String(server.port));
    const options = { cwd: temporary, encoding: "utf8", timeout: 60_000, env } as const;
    const { stdout } = spawnSync("bash", ["-c", mappedCommand], options);
    const printed = masked(stdout, server.port);
    if (printed !== masked(output, server.port)) findings.push(`${line}: prints ${printed}`);
  }
  return findings.join("\n");
}

const names = readdirSync(join(ROOT, "docs"), { encoding: "utf8", recursive: true });
const paths = names.filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`);
const EXAMPLES = ["railways", "search", "shop"].map((name) => `examples/${name}/README.md`);
const DOCUMENTS = ["README.md", ...EXAMPLES, ...paths.sort()].map((path) => ({
  path,
  document: new Document(join(ROOT, path)),
}));
const complete = (source: string) => `${CHECKER}${source}\nexport {};\n`;

/** Programs that need no project, compiled together. */
const alone = DOCUMENTS.flatMap(({ path, document }) =>
  document.programs().flatMap(({ project, source }) => {
    return project === null ? [{ path, program: complete(source) }] : [];
  }),
);
const broken = `${CHECKER}await check(7, async () => (1 + 1), 3);export {};`;
const together = createProject([...alone.map(({ program }) => program), broken]);
let errors = "";
test.before(() => {
  errors = compile(together);
});
test.after(() => together.remove());

/** Compiler errors of a program, and those of no program. */
function formatErrors(index: number): string {
  const each = errors.split(/^(?=\S)/m);
  const isOther = (text: string) => /^program\d/.test(text) && !text.startsWith(`program${index}.`);
  return each.filter((text) => !isOther(text)).join("");
}

for (const [index, { path, program }] of alone.entries()) {
  test(`${path}: its programs run`, () => {
    const listed = formatErrors(index);
    assert.is(listed === "" ? runCompiled(together, index) : `${listed}\n${program}`, "");
  });
}

for (const { path, document } of DOCUMENTS) {
  for (const { project, source } of document.programs()) {
    if (project === null) continue;
    test(`${path}: its programs run in ${project}`, async () => {
      assert.is(await run(complete(source), project), "");
    });
  }
  if (document.plugins.length > 0) {
    test(`${path}: its plugins build`, async () => {
      const project = new TemporaryProject({ "tsconfig.json": NODE_TYPES });
      const zod = join(ROOT, "node_modules", "zod");
      symlinkSync(zod, join(project.folder, "node_modules", "zod"), "dir");
      for (const [index, code] of document.plugins.entries()) {
        project.write(`plugins/part${index}.ts`, code);
      }
      await buildProject(project.folder).finally(() => project.remove());
    });
  }
  for (const { served, commands } of document.sessions) {
    if (served === null || commands.length === 0 || !hasCurl) continue;
    test(`${path}: its commands print the documented output with ${served}`, async () => {
      assert.is(await unexpectedOutput(served, commands), "");
    });
  }
}

test("the tutorial of the shop quotes its files", () => {
  const folder = join(ROOT, "examples/shop");
  const names = [...readdirSync(join(folder, "plugins")).map((name) => `plugins/${name}`)];
  const flat = (text: string) => text.replaceAll(/\s+/g, " ").trim();
  const files = [...names, "src/session.ts", "svc.config.ts"].map((name) =>
    flat(readFileSync(join(folder, name), "utf8")),
  );
  const quotes = parseFences(readFileSync(join(folder, "README.md"), "utf8"));
  for (const { language, code, line } of quotes) {
    if (language !== "ts part") continue;
    assert.ok(
      files.some((text) => text.includes(flat(code))),
      `line ${line}`,
    );
  }
});

test("reports a broken expectation with its line", async () => {
  assert.is(formatErrors(alone.length), "");
  assert.is(runCompiled(together, alone.length), "7: gives 2\n");
  assert.match(await run(broken.replace("1 + 1", "1 + '")), /error TS/);
});

test.run();
