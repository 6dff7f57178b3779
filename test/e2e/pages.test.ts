// Results in pages: cursors, altered ones, restarts, both clients.
// limit: 60 s

import { execFile } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { HAS_PYTHON, PYTHON } from "../support/python.js";
import { buildProject, get, type RunningServer, serve, svc } from "./support/server.js";
import { TemporaryProject } from "./support/temporary-project.js";

const PLUGINS = `import { Cursor, Page } from "svc-server";
import type { int, PluginRequest, str } from "svc-server";

const ALL = Array.from({ length: 25 }, (_, at) => ({ name: "p" + at }));

/** Lists products. @plugin @readonly */
export function list(
  _request: PluginRequest, n: int = 10, cursor?: Cursor<{ at: int; tenant: str }>,
): Page<{ name: str }, { at: int; tenant: str }> {
  const at = cursor?.state.at ?? 0;
  const end = at + n;
  return new Page(ALL.slice(at, end), end < ALL.length ? { at: end, tenant: "a" } : null);
}

/** Lists otherwise. @plugin @readonly */
export async function others(
  _request: PluginRequest, cursor: Cursor<{ at: int }> | null = null,
): Promise<Page<int, { at: int; long: str }>> {
  const at = cursor?.state.at ?? 0;
  return new Page([at], { at: at + 1, long: at < 3 ? "" : "x".repeat(5000) });
}
`;

interface Page {
  readonly items: readonly { readonly name: string }[];
  readonly cursor: string | null;
}

const test = suite("pages");
let project: TemporaryProject;
let server: RunningServer;

test.before(async () => {
  project = new TemporaryProject({ "plugins/p.ts": PLUGINS });
  await buildProject(project.folder);
  server = await serve(project.folder, "--executors", "2");
});
test.after(async () => {
  await server.end();
  project.remove();
});

async function page(query: string): Promise<Page> {
  const { json, text } = await get(server.port, `/svc/plugin/${query}`);
  assert.is(json.status, "OK", text);
  return json.response as Page;
}

test("can be followed from the first to the last page by all executors", async () => {
  let { items, cursor } = await page("list?n=10");
  const names = items.map(({ name }) => name);
  let pages = 1;
  for (; cursor !== null; pages++) {
    ({ items, cursor } = await page(`list?n=10&cursor=${cursor}`));
    names.push(...items.map(({ name }) => name));
  }
  assert.is(pages, 3);
  assert.equal(
    names,
    Array.from({ length: 25 }, (_, index) => `p${index}`),
  );
});

test("reject altered cursors and those of other plugins", async () => {
  const { cursor } = await page("list?n=3");
  const status = async (input: string, plugin = "list") =>
    (await get(server.port, `/svc/plugin/${plugin}?cursor=${input}`)).status;
  assert.is(await status(cursor!), 200);
  const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  for (let index = 0; index < cursor!.length; index++) {
    // The lowest bit of the last digit has no effect on the bytes.
    const letter = digits[digits.indexOf(cursor![index]!) ^ 1] ?? "A";
    assert.is(
      await status(cursor!.slice(0, index) + letter + cursor!.slice(index + 1)),
      400,
      `${index}`,
    );
  }
  assert.is(await status(cursor!, "others"), 400);
  for (const cursor of ["x", "a.b", "%00", `${"A".repeat(5000)}.${"A".repeat(22)}`]) {
    assert.is(await status(cursor), 400);
  }
  const { text } = await get(server.port, "/svc/plugin/list?cursor=x");
  assert.match(text, "cursor=x (a cursor of this plugin is required)");
});

test("stay valid after a restart", async () => {
  const { cursor } = await page("list?n=5");
  await server.stop();
  server = await serve(project.folder, "--executors", "2");
  assert.is((await page(`list?n=5&cursor=${cursor}`)).items[0]!.name, "p5");
});

test("have a state of limited size", async () => {
  let { cursor } = await page("others");
  for (let turn = 0; turn < 2; turn++) ({ cursor } = await page(`others?cursor=${cursor}`));
  const { status, text } = await get(server.port, `/svc/plugin/others?cursor=${cursor}`);
  assert.is(status, 500);
  assert.match(text, "state of a cursor has 50");
});

test("are iterated by TypeScript clients", async () => {
  const sdk = join(project.folder, "sdk");
  await svc("client", "--from", project.folder, "--out", sdk);
  const { Client } = await import(pathToFileURL(join(sdk, "index.js")).href);
  const client = new Client({ baseUrl: `http://127.0.0.1:${server.port}` });
  const names: string[] = [];
  for await (const { name } of client.list.all({ n: 4 })) names.push(name);
  assert.is(names.length, 25);
  assert.is((await client.list({ n: 4 })).items.length, 4);
  assert.is((await client.listRaw({ n: 4 })).response.items.length, 4);
  project.write(
    "use.ts",
    `import { Client } from "./sdk/index.js";
const client = new Client({ baseUrl: "" });
export async function names(): Promise<string[]> {
  const found: string[] = [];
  for await (const item of client.list.all({ n: 4 })) found.push(item.name);
  const page = await client.list();
  // @ts-expect-error items have no other members
  page.items[0]?.price;
  return found;
}
`,
  );
  const tsc = join(process.cwd(), "node_modules/typescript/bin/tsc");
  const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022"];
  const cwd = { cwd: project.folder };
  await promisify(execFile)(process.execPath, [tsc, ...options, "use.ts"], cwd);
});

(HAS_PYTHON ? test : test.skip)("are iterated by Python clients", async () => {
  const out = join(project.folder, "py");
  await svc("client", "--from", project.folder, "--lang", "python", "--out", out);
  const script = `
import sys
from client import Client
shop = Client(sys.argv[1])
print(len(list(shop.list_all(n=4))), len(shop.list(n=4)["items"]))
`;
  const address = `http://127.0.0.1:${server.port}`;
  const { stdout } = await promisify(execFile)(PYTHON, ["-c", script, address], { cwd: out });
  assert.is(stdout.trim(), "25 4");
});

test.run();
