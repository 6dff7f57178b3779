// Generated clients of streams against a live server: items, early exit, every kind of end, and
// errors by name.
// limit: 60 s

import { execFile } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { SvcError } from "../../client/typescript/svc-error.js";
import { HAS_PYTHON, PYTHON } from "../support/python.js";
import { buildProject, type Served, serve, svc } from "./support/server.js";
import { TemporaryProject } from "./support/temporary-project.js";

const PLUGINS = `import { HttpError, ValidationError, validate } from "svc-server";
import type { int, PluginRequest, StandardSchema, str } from "svc-server";

const ended: string[] = [];

export class NoSuchShelf extends HttpError {
  constructor(shelf: str) { super(404, "no shelf " + shelf, { shelf }); }
}

/** Counts. @plugin @readonly @throws {NoSuchShelf} there is none */
export async function* count(
  request: PluginRequest, to: int, shelf: str = "a", fail: int = -1,
): AsyncGenerator<{ n: int; text: str }> {
  if (shelf === "none") throw new NoSuchShelf(shelf);
  try {
    for (let n = 0; n < to; n++) {
      if (n === fail) throw new RangeError("enough");
      yield { n, text: "é\\n\\n" };
    }
  } finally {
    ended.push(shelf);
  }
}

/** Gives one and is silent then. @plugin */
export async function* silent(request: PluginRequest): AsyncGenerator<str> {
  yield "first";
  await new Promise((resolve) => request.signal.addEventListener("abort", resolve));
}

interface Stay { from: str; to: str }

/** As libraries with Standard Schema make them. */
const Stay: StandardSchema<Stay> = { "~standard": { version: 1, vendor: "me", validate: (value) => {
  const { from, to } = value as Stay;
  if (from < to) return { value: { from, to } };
  return { issues: [{ message: "ends before it begins", path: ["to"] }] };
} } };

/** Books. @plugin @throws {ValidationError} 400 it makes no sense */
export async function book(_request: PluginRequest, content: Stay): Promise<str> {
  const { from } = await validate(Stay, content);
  return from;
}

/** @plugin @readonly */
export function endedOnes(request: PluginRequest): str[] { return ended; }
`;

interface Service {
  count(params: object, options?: object): AsyncGenerator<{ n: number; text: string }>;
  silent(params?: object, options?: object): AsyncGenerator<string>;
  endedOnes(): Promise<string[]>;
  book(params: object): Promise<string>;
}

const test = suite("clients of streams");
let project: TemporaryProject;
let server: Served;
let service: Service;

test.before(async () => {
  project = new TemporaryProject({ "plugins/shelf.ts": PLUGINS });
  await buildProject(project.folder);
  server = await serve(project.folder, "--executors", "1");
  const sdk = join(project.folder, "sdk");
  await svc("client", "--from", project.folder, "--out", sdk);
  await svc(
    "client",
    "--from",
    project.folder,
    "--lang",
    "python",
    "--out",
    join(project.folder, "py"),
  );
  const { Client } = await import(pathToFileURL(join(sdk, "index.js")).href);
  service = new Client({ baseUrl: `http://127.0.0.1:${server.port}` });
});

test.after(async () => {
  await server?.stop();
  project?.remove();
});

async function failure(work: () => Promise<unknown>): Promise<SvcError<string>> {
  try {
    await work();
  } catch (error) {
    return error as SvcError<string>;
  }
  throw new Error("it did not fail");
}

async function all<T>(pieces: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const piece of pieces) list.push(piece);
  return list;
}

/** However long that takes: the runner has a limit. */
async function untilEnded(name: string): Promise<void> {
  while (!(await service.endedOnes()).includes(name)) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

test("receive all items in order", async () => {
  const pieces = await all(service.count({ to: 5000 }));
  assert.equal(
    pieces,
    [...pieces.keys()].map((n) => ({ n, text: "é\n\n" })),
  );
  assert.is(pieces.length, 5000);
  assert.equal(await all(service.count({ to: 0 })), []);
});

test("end the plugin when they leave the loop", async () => {
  for await (const { n } of service.count({ to: 1e9, shelf: "left" })) if (n === 2) break;
  await untilEnded("left");
});

test("get the documented kind of an error before the first item", async () => {
  const error = await failure(() => all(service.count({ to: 1, shelf: "none" })));
  assert.is(error.kind, "NoSuchShelf");
  assert.is(error.status, 404);
  assert.equal(error.details, { shelf: "none" });
  const wrong = await failure(() => all(service.count({ to: "many" })));
  assert.is(wrong.kind, "parameter");
});

test("get the paths of a rejection by a Standard Schema", async () => {
  assert.is(await service.book({ content: { from: "a", to: "b" } }), "a");
  const error = await failure(() => service.book({ content: { from: "b", to: "a" } }));
  const issues = [{ path: "content.to", message: "ends before it begins" }];
  assert.equal([error.kind, error.status, error.details], ["ValidationError", 400, { issues }]);
});

test("throw an error after the items that precede it", async () => {
  const seen: number[] = [];
  const error = await failure(async () => {
    for await (const { n } of service.count({ to: 5, fail: 3 })) seen.push(n);
  });
  assert.equal(seen, [0, 1, 2]);
  assert.is(error.kind, "plugin");
  assert.is(error.exception, "RangeError");
});

test("end a stream on a timeout between items, and on the caller's signal", async () => {
  const late = await failure(() => all(service.silent({}, { timeoutMs: 300 })));
  assert.is(late.kind, "timeout");
  const controller = new AbortController();
  const aborted = await failure(async () => {
    for await (const _ of service.silent({}, { signal: controller.signal })) controller.abort();
  });
  assert.is(aborted.kind, "aborted");
});

const SCRIPT = `
import sys
from client import Client, NoSuchShelf, SvcError
shop = Client(sys.argv[1])
pieces = list(shop.count(to=3000))
print(len(pieces), pieces[-1]["n"], pieces[0]["text"] == "é\\n\\n")
for piece in shop.count(to=10**9, shelf="python"):
    if piece["n"] == 2:
        break
del piece
try:
    list(shop.count(to=1, shelf="none"))
except NoSuchShelf as error:
    print(error.kind, error.status, error.details["shelf"])
seen = []
try:
    for piece in shop.count(to=5, fail=3):
        seen.append(piece["n"])
except SvcError as error:
    print(seen, error.kind, error.exception)
try:
    list(shop.with_options(timeout=0.3).silent())
except SvcError as error:
    print(error.kind)
shop.close()
`;

(HAS_PYTHON ? test : test.skip)("Python: a generator, a class for each error", async () => {
  const cwd = join(project.folder, "py");
  const url = `http://127.0.0.1:${server.port}`;
  const options = { cwd, env: { ...process.env, PYTHONIOENCODING: "utf8" } };
  const run = promisify(execFile)(PYTHON, ["-W", "error", "-c", SCRIPT, url], options);
  const { stdout, stderr } = await run;
  assert.is(stderr, "");
  assert.equal(stdout.split("\n").slice(0, 4), [
    "3000 2999 True",
    "NoSuchShelf 404 none",
    "[0, 1, 2] plugin RangeError",
    "timeout",
  ]);
  await untilEnded("python");
});

test.run();
