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
import { failure as refusal, reset, ScriptedServer, type Step } from "./support/scripted-server.js";
import { buildProject, type RunningServer, serve, svc } from "./support/server.js";
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

interface Change {
  readonly kind: string;
  readonly id: string;
}

interface Service {
  readonly builtin: { changes(params: object, options?: object): AsyncGenerator<Change> };
  count(params: object, options?: object): AsyncGenerator<{ n: number; text: string }>;
  silent(params?: object, options?: object): AsyncGenerator<string>;
  endedOnes(): Promise<string[]>;
  book(params: object): Promise<string>;
}

const test = suite("clients of streams");
let project: TemporaryProject;
let server: RunningServer;
let Client: new (options: object) => Service;
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
  ({ Client } = await import(pathToFileURL(join(sdk, "index.js")).href));
  service = new Client({ baseUrl: `http://127.0.0.1:${server.port}` });
});

test.after(async () => {
  await server?.end();
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

async function collect<T>(pieces: AsyncIterable<T>): Promise<T[]> {
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
  const pieces = await collect(service.count({ to: 5000 }));
  assert.equal(
    pieces,
    [...pieces.keys()].map((n) => ({ n, text: "é\n\n" })),
  );
  assert.is(pieces.length, 5000);
  assert.equal(await collect(service.count({ to: 0 })), []);
});

test("end the plugin when they leave the loop", async () => {
  for await (const { n } of service.count({ to: 1e9, shelf: "left" })) if (n === 2) break;
  await untilEnded("left");
});

test("get the documented kind of an error before the first item", async () => {
  const error = await failure(() => collect(service.count({ to: 1, shelf: "none" })));
  assert.is(error.kind, "NoSuchShelf");
  assert.is(error.status, 404);
  assert.equal(error.details, { shelf: "none" });
  const rejection = await failure(() => collect(service.count({ to: "many" })));
  assert.is(rejection.kind, "parameter");
});

test("get the paths of a rejection by a Standard Schema", async () => {
  assert.is(await service.book({ content: { from: "a", to: "b" } }), "a");
  const error = await failure(() => service.book({ content: { from: "b", to: "a" } }));
  const issues = [{ path: "content.to", message: "ends before it begins" }];
  assert.equal([error.kind, error.status, error.details], ["ValidationError", 400, { issues }]);
});

test("throw an error after the items that precede it", async () => {
  const observed: number[] = [];
  const error = await failure(async () => {
    for await (const { n } of service.count({ to: 5, fail: 3 })) observed.push(n);
  });
  assert.equal(observed, [0, 1, 2]);
  assert.is(error.kind, "plugin");
  assert.is(error.exception, "RangeError");
});

test("end a stream on a timeout between items, and on the caller's signal", async () => {
  const late = await failure(() => collect(service.silent({}, { timeoutMs: 300 })));
  assert.is(late.kind, "timeout");
  const controller = new AbortController();
  const aborted = await failure(async () => {
    for await (const _ of service.silent({}, { signal: controller.signal })) controller.abort();
  });
  assert.is(aborted.kind, "aborted");
});

test("deliver no items after an abort, even if more have arrived", async () => {
  const controller = new AbortController();
  const observed: number[] = [];
  const error = await failure(async () => {
    for await (const { n } of service.count({ to: 1000 }, { signal: controller.signal })) {
      observed.push(n);
      controller.abort();
    }
  });
  assert.is(error.kind, "aborted");
  assert.equal(observed, [0]);
});

/** Sends events, then cuts the connection. */
function events(...texts: string[]): Step {
  return (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(texts.map((text) => `${text}\n\n`).join(""), () => response.destroy());
  };
}

const createdEvent = (id: string) => `data: ${JSON.stringify({ kind: "vertexCreated", id })}`;
/** Cuts, a refusal and a restart between events; then an error that ends the stream. */
const CUTS = [
  events("id: 1", `id: 2\n${createdEvent("a")}`, createdEvent("b"), "id: 3"),
  reset(),
  refusal(503, "later"),
  events(`id: 4\n${createdEvent("c")}`),
  events('event: error\ndata: "PositionExpiredError"'),
];
const POSITIONS = [undefined, "3", "3", "3", "4"];

async function withScript(steps: Step[], work: (scripted: ScriptedServer) => Promise<void>) {
  const scripted = await ScriptedServer.start();
  scripted.script(...steps);
  try {
    await work(scripted);
  } finally {
    await scripted.close();
  }
}

const positions = ({ received }: ScriptedServer) =>
  received.map(({ headers }) => headers["last-event-id"]);

async function follow(baseUrl: string, options: object): Promise<[string[], SvcError<string>]> {
  const ids: string[] = [];
  const error = await failure(async () => {
    const client = new Client({ baseUrl, ...options });
    for await (const { id } of client.builtin.changes({ graph: "g" })) ids.push(id);
  });
  return [ids, error];
}

test("continue a stream with positions after a cut connection", async () => {
  await withScript(CUTS, async (scripted) => {
    const [ids, error] = await follow(scripted.url, {});
    assert.equal(ids, ["a", "b", "c"]);
    assert.equal([error.kind, error.exception], ["plugin", "PositionExpiredError"]);
    assert.equal(positions(scripted), POSITIONS);
  });
});

test("do not continue without a valid position, without retries, or after a refusal", async () => {
  for (const id of ["a b", "é", "x".repeat(5000), ""]) {
    await withScript(
      [events(`id: 1\nid: 2`, `id: ${id}\n${createdEvent("a")}`)],
      async (scripted) => {
        const [ids, error] = await follow(scripted.url, {});
        assert.equal([ids, error.kind, scripted.received.length], [["a"], "network", 1]);
      },
    );
  }
  await withScript([events(`id: 1\n${createdEvent("a")}`)], async (scripted) => {
    const [ids, error] = await follow(scripted.url, { retries: 0 });
    assert.equal([ids, error.kind, scripted.received.length], [["a"], "network", 1]);
  });
  await withScript([events("id: 1"), refusal(410, "gone")], async (scripted) => {
    const [ids, error] = await follow(scripted.url, {});
    assert.equal([ids, error.status, scripted.received.length], [[], 410, 2]);
  });
});

test("stop reconnecting at the time limit", async () => {
  await withScript([events("id: 1"), reset()], async (scripted) => {
    const [, error] = await follow(scripted.url, { timeoutMs: 400 });
    assert.is(error.kind, "timeout");
    assert.ok(scripted.received.length > 1);
  });
});

const FOLLOWER = `
import sys
from client import Client, SvcError
ids = []
options = {"timeout": float(sys.argv[2]), "retries": int(sys.argv[3])}
try:
    for change in Client(sys.argv[1], **options).builtin.changes(graph="g"):
        ids.append(change["id"])
except SvcError as error:
    print(" ".join(ids), error.kind, error.status, error.exception)
`;

(HAS_PYTHON ? test : test.skip)("Python: continues as well", async () => {
  const followed = async (url: string, timeout: string, retries: string) => {
    const cwd = join(project.folder, "py");
    const words = ["-W", "error", "-c", FOLLOWER, url, timeout, retries];
    return (await promisify(execFile)(PYTHON, words, { cwd })).stdout.trim();
  };
  await withScript(CUTS, async (scripted) => {
    const text = await followed(scripted.url, "30", "2");
    assert.is(text, "a b c plugin 200 PositionExpiredError");
    assert.equal(positions(scripted), POSITIONS);
  });
  await withScript([events(`id: 1\n${createdEvent("a")}`)], async (scripted) => {
    assert.is(await followed(scripted.url, "30", "0"), "a network 200 None");
  });
  await withScript([events(`id: 1 2\n${createdEvent("a")}`)], async (scripted) => {
    assert.is(await followed(scripted.url, "30", "2"), "a network 200 None");
  });
  await withScript([events("id: 1"), reset()], async (scripted) => {
    assert.match(await followed(scripted.url, "0.4", "2"), /^(timeout|network) /);
    assert.ok(scripted.received.length > 1);
  });
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
