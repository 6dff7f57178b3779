// Python clients as a user meets them: written by `svc client` from builds and from servers, and
// run against live servers, which give every kind of error for real.
// limit: 60 s
// builds examples
// takes 15 s

import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { packageRoot } from "../../runtime/base/package-info.js";
import { HAS_PYTHON, PYTHON, sayIfSkipped } from "../support/python.js";
import { buildProject, fixture, type Served, serve, svc } from "./support/server.js";

const clients = suite("python clients");
const test = HAS_PYTHON ? clients : clients.skip;
sayIfSkipped("python clients");

const EXAMPLES = join(packageRoot(), "examples");
const ENGINE = fixture("engine");
const root = mkdtempSync(join(tmpdir(), "svc-python-"));
const running: Served[] = [];

clients.after.each(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()));
});
clients.after(() => rmSync(root, { recursive: true }));

async function start(project: string, ...args: string[]): Promise<Served> {
  const server = await serve(project, "--root", mkdtempSync(join(root, "data-")), ...args);
  running.push(server);
  return server;
}

/** What a script prints that has `shop`, a client in the folder. */
async function run(folder: string, { port }: Served, script: string): Promise<string> {
  const url = `http://127.0.0.1:${port}`;
  const head = `import client\nfrom client import *\nurl = "${url}"\nshop = Client(url)\n`;
  const child = promisify(execFile)(PYTHON, ["-W", "error", "-c", `${head}${script}`], {
    cwd: folder,
    env: { ...process.env, PYTHONIOENCODING: "utf8", PYTHONDONTWRITEBYTECODE: "1" },
  });
  const { stdout, stderr } = await child;
  assert.is(stderr, "");
  return stdout;
}

/** A folder with the client of a source. */
async function clientOf(from: string): Promise<string> {
  const out = mkdtempSync(join(root, "client-"));
  await svc("client", "--lang", "python", "--from", from, "--out", out);
  assert.equal(readdirSync(out), ["client.py"]);
  return out;
}

const HELLO = `
print(shop.hello(name="Åse", times=2), shop.power(base=1.5), shop.power(base=2, exponent=3))
print(shop.sha256(content=b"abc")[:8])
for name, city in shop.search(q="o", n=1).entries:
    print(name, city["population"])
print(shop.search_raw(q="r").response.hitcount, shop.search_raw(q="r").status)
print(shop.builtin.ping(), shop.services.hc(), sorted(shop.services.time()["time"]))
with shop.with_options(timeout=5, headers={"x-test": "1"}) as other:
    print(other.builtin.echo(content=b"abc", q="1")["HTTP"]["content"])
import warnings
Client._argspec = "0" * 64
with warnings.catch_warnings(record=True) as told, Client(url) as old:
    warnings.simplefilter("always")
    old.hello()
    old.hello_raw()
print([(warning.category.__name__, warning.filename) for warning in told])
`;
const HELLO_OUTPUT = `['Hello, Åse!', 'Hello, Åse!'] 2.25 8
ba7816bf
Oslo 717710
4 OK
True SVC/3 ['current', 'start', 'up']
abc
[('UserWarning', '<string>')]
`;

test("the client of hello calls all that there is, and is the same from the server", async () => {
  const project = join(EXAMPLES, "hello");
  await buildProject(project);
  const folder = await clientOf(project);
  const server = await start(project);
  assert.is(await run(folder, server, HELLO), HELLO_OUTPUT);
  const text = (path: string) => readFileSync(join(path, "client.py"), "utf8");
  assert.is(text(await clientOf(`http://127.0.0.1:${server.port}`)), text(folder));
});

test("the client of search sees graphs", async () => {
  const project = join(EXAMPLES, "search");
  await buildProject(project);
  const server = await start(project);
  const script = `
print(shop.feed()["vertices"])
for population, city in shop.search(prefix="O", country="NO").entries:
    print(population, city["city"], city["latitude"])
print(shop.builtin.neighbor(graph="cities", id="Oslo", arc="rail", hits=1) != [])
`;
  assert.is(await run(await clientOf(project), server, script), "219\n718000 Oslo 59.91\nTrue\n");
});

test("a second run leaves the file alone, and no other file is overwritten", async () => {
  const folder = await clientOf(join(EXAMPLES, "hello"));
  const file = join(folder, "client.py");
  const { mtimeMs } = statSync(file);
  const again = ["client", "--lang", "python", "--from", join(EXAMPLES, "hello"), "--out", folder];
  assert.match((await svc(...again)).stdout, "current");
  assert.is(statSync(file).mtimeMs, mtimeMs);
  writeFileSync(file, "mine = 1\n");
  const refused = await svc(...again).then(
    () => "",
    ({ stderr }) => String(stderr),
  );
  assert.match(refused, "SVC3020");
  assert.is(readFileSync(file, "utf8"), "mine = 1\n");
});

/** Prints how a call ends. */
const TELL = `
def tell(call, **params):
    try:
        print(call(**params))
    except SvcError as error:
        print(error.kind, error.status, error.exception, bool(error.traceback), str(error)[:60])
        return error
`;

test("every kind of error comes from a live server", async () => {
  await buildProject(ENGINE);
  const options = ["--max-body-bytes", "1000", "--plugin-timeout", "500"];
  const server = await start(ENGINE, ...options);
  const folder = await clientOf(ENGINE);
  const script = `${TELL}
tell(shop.fails, text="no \\u2713")
tell(shop.burns, ms="x")
tell(shop.cyclic)
tell(shop.never)
tell(shop.with_options(timeout=0.2).never)
tell(shop.builtin.echo, content=b"x" * 5000)
tell(shop.fails, text="x" * 9000)
tell(lambda: shop._call(client._Operation("/svc/plugin/gone"), {}))
tell(Client("http://127.0.0.1:9", retries=0).fails)
`;
  const lines = (await run(folder, server, script)).trimEnd().split("\n");
  assert.equal(
    lines.map((line) => line.split(" /svc/")[0]),
    [
      "plugin 500 ShopError True",
      "parameter 400 TypeError False",
      "parameter 500 TypeError False",
      "system 500 TimeoutError False",
      "timeout None None False",
      "http 413 None False",
      "http 414 None False",
      "parameter 404 LookupError False",
      "network None None False",
    ],
  );
  assert.match(lines[0]!, "/svc/plugin/fails: no ✓");
});

test("errors below a dispatcher carry their chain and their cause", async () => {
  const project = join(EXAMPLES, "matrix");
  await buildProject(project);
  const engines = await Promise.all([1, 2].map(() => start(project, "--role", "engine")));
  const partitions = engines.map(({ port }) => [{ host: "127.0.0.1", port }]);
  const matrix = join(root, "matrix.json");
  writeFileSync(matrix, JSON.stringify({ partitions, replicas: [{ channels: 8, priority: 1 }] }));
  const top = await start(project, "--role", "dispatcher", "--dispatcher", matrix);
  // A dispatcher alone has another contract than the build that it serves.
  const script = `${TELL}
warnings = []
shop = Client("http://127.0.0.1:${top.port}", warn=warnings.append)
print(shop.mountains(continent="Europe", n=1)["highest"], shop.heights(n=1).partials)
print(shop.with_options(partial=1).heights_raw(n=1).partitions)
error = tell(shop.heights, n="x")
print(error.chain, error.__cause__.kind, error.__cause__.status)
`;
  // Both partitions refuse; which of them is told depends on which was there first.
  const printed = await run(await clientOf(project), top, script);
  assert.is(
    printed.replace(/(?<=partition=)[01](?=, width=2, status=400)/, "0 or 1"),
    `['Elbrus 5642 m'] 2
(2, 0, 1)
backend 500 TypeError False /svc/plugin/heights: n=x (an integer is required)
(BackEndLevel(partition=0 or 1, width=2, status=400),) parameter 400
`,
  );
});

clients.run();
