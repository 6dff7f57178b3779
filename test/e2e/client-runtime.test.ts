// The built runtime of clients, as ES module and as CommonJS, against an engine and dispatchers;
// its declarations in strict projects; its size.
// limit: 60 s
// takes 10 s

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { buildSync } from "esbuild";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type * as Runtime from "../../client/typescript/runtime.js";
import { packageRoot } from "../../runtime/base/package-info.js";
import { plainNode } from "../runner/node-command.mjs";
import { MatrixNode, matrix, type TestMatrix } from "./support/matrix.js";
import { buildProject, fixture, type RunningServer, serve } from "./support/server.js";

const test = suite("client runtime");
const ROOT = packageRoot();
const FOLDER = join(ROOT, "dist/client");
/** A promised content took 0.2 KB, checks of values 0.2, tokens 0.5, pages and forms 0.2. */
const MAX_BYTES = 6700;
const HASH = "0".repeat(64);
const forms: readonly Pick<typeof Runtime, "Connection" | "SvcError">[] = [
  (await import(join(FOLDER, "runtime.js"))) as typeof Runtime,
  createRequire(import.meta.url)(join(FOLDER, "runtime.cjs")) as typeof Runtime,
];
let server: RunningServer;
let lowerMatrix: TestMatrix;
let middle: MatrixNode;
let top: MatrixNode;

/** A dispatcher of two partitions with the same back-end. */
function over({ port }: MatrixNode): Promise<MatrixNode> {
  const addresses = [{ host: "127.0.0.1", port }];
  const dispatcher = { partitions: [addresses, addresses], replicas: [{}] };
  return MatrixNode.start({ dispatcher, processors: false });
}

test.before(async () => {
  await buildProject(fixture("engine"));
  server = await serve(fixture("engine"));
  lowerMatrix = await matrix(1, 3);
  middle = await over(lowerMatrix.dispatcher);
  top = await over(middle);
});

test.after(async () => {
  await Promise.all([top.kill(), middle.kill(), lowerMatrix.stop()]);
  assert.is(await server.stop(), 0);
});

function operation(name: string, more: Partial<Runtime.Operation> = {}): Runtime.Operation {
  return { path: `/svc/plugin/${name}`, ...more };
}

for (const [index, { Connection, SvcError }] of forms.entries()) {
  const form = index === 0 ? "module" : "CommonJS";

  function connect(port: number, options: Partial<Runtime.ClientOptions> = {}) {
    const baseUrl = `http://127.0.0.1:${port}`;
    return new Connection({ baseUrl, warn: () => {}, ...options }, HASH);
  }

  async function failed(call: Promise<unknown>, kind: Runtime.ErrorKind) {
    const error = await call.then(
      () => null,
      (reason: unknown) => reason,
    );
    assert.instance(error, SvcError);
    assert.is((error as Runtime.SvcError).kind, kind, String(error));
    return error as Runtime.SvcError;
  }

  test(`${form}: passes values to plugins and back`, async () => {
    const engine = connect(server.port);
    const values = { i: -7, f: 0.1, s: "a b+c&d=é%41\u{1f600}", j: { x: [null, "é"] } };
    assert.equal(await engine.call(operation("typed", { json: ["j"] }), values, {}), values);
    const near = operation("near", { json: ["at", "tags"] });
    const point = { at: { x: 1, y: -2.5 }, tags: ["a&b"] };
    assert.equal(await engine.call(near, { ...point, tags: undefined }, {}), {
      ...point,
      tags: [],
    });
    assert.equal(await engine.call(near, point, {}), point);
    const b = Uint8Array.of(0, 255, 37, 38);
    assert.is(((await engine.call(operation("raw"), { b }, {})) as { length: number }).length, 4);
    const method = operation("method", { content: "bytes" });
    const response = await engine.call(method, { content: b }, { headers: { "X-Custom": "c" } });
    const { length, custom, ...rest } = response as Record<string, unknown>;
    assert.equal([rest.method, length, custom], ["POST", 4, "c"]);
    const empty = await engine.call(method, { content: new Uint8Array(0) }, {});
    assert.is((empty as Record<string, unknown>).method, "POST");
  });

  test(`${form}: returns envelopes, services and text`, async () => {
    const engine = connect(server.port);
    const envelope = await engine.callRaw(operation("add"), { a: 1, b: 2 }, {});
    assert.is(envelope.response, 3);
    assert.is(envelope.partitions, null);
    assert.ok(envelope.exec_ms >= 0);
    const time = await engine.callRaw({ path: "/svc/time" }, {}, {});
    assert.equal(time.port, [server.port, 0]);
    assert.is(await engine.call({ path: "/svc/hc", text: true }, {}, {}), "SVC/3");
  });

  test(`${form}: reports errors of an engine`, async () => {
    const engine = connect(server.port);
    const missing = await failed(engine.call(operation("add"), {}, {}), "parameter");
    assert.is(missing.status, 400);
    const unknown = await failed(engine.call(operation("nowhere"), {}, {}), "parameter");
    assert.is(unknown.status, 404);
    const text = 'no "stock", it\'s\nsold';
    const thrown = await failed(engine.call(operation("fails"), { text }, {}), "plugin");
    assert.is(thrown.message, `/svc/plugin/fails: ${text}`);
    assert.is(thrown.exception, "ShopError");
    assert.match(thrown.traceback!.join("\n"), /faults\.ts/);
    const died = await failed(engine.call(operation("exits"), {}, {}), "system");
    assert.is(died.exception, "ExecutorError");
    await failed(engine.call(operation("burns"), { ms: 300 }, { timeoutMs: 50 }), "timeout");
  });

  test(`${form}: reports errors of back-ends three levels below`, async () => {
    const error = await failed(connect(top.port).call(operation("fails"), {}, {}), "backend");
    assert.is(error.status, 500);
    // All partitions fail, and the fastest one is reported.
    for (const { partition, width } of error.chain) assert.ok(partition >= 0 && partition < width);
    assert.equal(
      error.chain.map(({ width, status }) => [width, status]),
      [
        [2, 500],
        [2, 500],
        [3, 500],
      ],
    );
    assert.is(error.exception, "RangeError");
    assert.is(error.message, "/svc/plugin/fails: no  stock ");
    assert.is((error.cause as Runtime.SvcError).kind, "plugin");
    const unknown = await failed(connect(top.port).call(operation("nowhere"), {}, {}), "backend");
    assert.is(unknown.chain.at(-1)!.status, 404);
    assert.is((unknown.cause as Runtime.SvcError).kind, "parameter");
  });

  test(`${form}: calls one partition of a matrix`, async () => {
    const matrix = connect(lowerMatrix.dispatcher.port);
    for (const partial of [0, 2]) {
      const { response, partitions } = await matrix
        .with({ partial })
        .callRaw(operation("where"), {}, {});
      const { entries } = response as Runtime.PluginResponse<number, { partition: number }>;
      assert.equal(
        entries.map(([, position]) => position.partition),
        [partial],
      );
      assert.is(partitions?.[2], 1);
    }
    const rows = await matrix.callRaw(operation("where"), {}, {});
    assert.equal(rows.partitions, [3, 0, 3]);
  });

  test(`${form}: receives a hash once, and warns of another one`, async () => {
    const warnings: string[] = [];
    const engine = connect(server.port, { warn: (message) => warnings.push(message) });
    for (let call = 0; call < 3; call++) await engine.call(operation("add"), { a: call }, {});
    assert.is(warnings.length, 1);
    assert.match(warnings[0]!, /\(00000000, now [0-9a-f]{8}\)/);
  });
}

test("does not keep a process alive after its calls", () => {
  const url = `http://127.0.0.1:${server.port}`;
  const program = `
    const { Connection } = require(${JSON.stringify(join(FOLDER, "runtime.cjs"))});
    const client = new Connection({ baseUrl: ${JSON.stringify(url)}, warn: () => {} }, "");
    const call = (name, options) =>
      client
        .call({ path: "/svc/plugin/" + name }, { a: 1, ms: 300 }, options)
        .catch(({ kind }) => kind);
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 50);
    Promise.all([
      call("add"),
      call("fails"),
      call("burns", { timeoutMs: 50 }),
      call("burns", { signal: controller.signal }),
      call("add", { signal: AbortSignal.abort() }),
    ]).then((results) => {
      const timers = process.getActiveResourcesInfo().filter((name) => name === "Timeout");
      console.log(JSON.stringify([...results, timers.length]));
    });`;
  // Less than the default timeout: a leaked timer would keep the process alive.
  const options = { encoding: "utf8", timeout: 20_000 } as const;
  const { stdout, stderr, status } = spawnSync(plainNode(), ["-e", program], options);
  assert.is(stderr, "");
  assert.is(status, 0);
  assert.equal(JSON.parse(stdout), [2, "plugin", "timeout", "aborted", "aborted", 0]);
});

const USE = `import {
  type ClientOptions, Connection, type Envelope, type Fetch, type PluginResponse, SvcError,
} from "./runtime.js";
const own: Fetch = fetch;
const wrapped: typeof fetch = (input, init) => fetch(input, init);
const options: ClientOptions = { baseUrl: "", fetch: wrapped, signal: undefined } as ClientOptions;
const client = new Connection({ ...options, fetch: own, headers: { a: "b" } }, "");
const eu: Connection = client.with({ partial: 1, signal: new AbortController().signal });
const raw: Promise<Envelope<unknown>> = eu.callRaw({ path: "/p" }, {}, { timeoutMs: undefined });
export async function kinds(hits: PluginResponse<string, { n: number }>): Promise<number> {
  try {
    await raw;
  } catch (error) {
    if (error instanceof SvcError && error.kind === "backend") return error.chain[0]!.width;
  }
  return hits.entries[0]![1].n;
}
// @ts-expect-error: no such option
client.with({ timeout: 1 });
// @ts-expect-error: kinds are known
export const wrong = (error: SvcError) => error.kind === "fatal";
`;

test("has declarations for strict projects of browsers and of Node", () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-client-"));
  try {
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    writeFileSync(join(folder, "runtime.d.ts"), readFileSync(join(FOLDER, "runtime.d.ts")));
    writeFileSync(join(folder, "use.ts"), USE);
    const strict = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false };
    const types = join(ROOT, "node_modules/@types");
    for (const platform of [
      { lib: ["es2022", "dom"], types: [] },
      { lib: ["es2022"], types: ["node"], typeRoots: [types], skipLibCheck: true },
    ]) {
      const compilerOptions = {
        ...{ target: "es2022", module: "nodenext", noEmit: true, ...strict, ...platform },
      };
      const config = JSON.stringify({ compilerOptions, files: ["use.ts", "runtime.d.ts"] });
      writeFileSync(join(folder, "tsconfig.json"), config);
      const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
      const { stdout } = spawnSync(process.execPath, [compiler, "-p", folder], {
        encoding: "utf8",
      });
      assert.is(stdout, "");
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("has declarations and code without imports", () => {
  for (const name of ["runtime.js", "runtime.cjs", "runtime.d.ts"]) {
    const text = readFileSync(join(FOLDER, name), "utf8");
    assert.not.match(text, /^import |\bimport\(|\brequire\(| from "/m, name);
    assert.not.match(text, new RegExp(ROOT), name);
  }
});

test("recognizes its errors across module formats", async () => {
  const esm = await import(join(FOLDER, "runtime.js"));
  // As a program in that format does: an import has no names.
  const cjs = createRequire(import.meta.url)(join(FOLDER, "runtime.cjs"));
  const error = new esm.SvcError("http", "no");
  assert.ok(error instanceof cjs.SvcError);
  assert.ok(error instanceof esm.SvcError);
  for (const reason of [new Error("no"), null, "no", { kind: "http" }]) {
    assert.not(reason instanceof cjs.SvcError);
  }
});

test("has at most 6.7 KB when compressed", () => {
  const { outputFiles } = buildSync({
    entryPoints: [join(FOLDER, "runtime.js")],
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    write: false,
  });
  const { length } = gzipSync(outputFiles[0]!.contents, { level: 9 });
  assert.ok(length <= MAX_BYTES, `${length} bytes`);
});

test.run();
