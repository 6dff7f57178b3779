// Requests that a server records, replayed to another one: recorded and omitted parts, and the
// report of differences.
// limit: 60 s
// takes 15 s

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { RecordedRequest } from "../../runtime/http/recorded-request.js";
import { runCommand } from "./support/run-command.js";
import { buildProject, get, type RunningServer, serve } from "./support/server.js";
import { NODE_TYPES, TemporaryProject } from "./support/temporary-project.js";

const PLUGINS = `import { HttpError, type int, type PluginRequest, type str } from "svc-server";

/** Returns another price in each release. @plugin */
export function price(_request: PluginRequest, of: str): string {
  if (of === "gone" && process.env.RELEASE === "2") throw new HttpError(404, "no such thing");
  return of === "changed" ? \`\${process.env.RELEASE}\` : \`\${of}, "level": 1\`;
}

/** Returns a string of a length. @plugin */
export function long(_request: PluginRequest, length: int): string {
  return "x".repeat(length);
}

/** Returns the length of the body. @plugin */
export function count(_request: PluginRequest, content: str): number {
  return content.length;
}
`;

interface Context {
  project: TemporaryProject;
  folder: string;
  file: string;
}

const test = suite<Context>("replay");

test.before(async (context) => {
  context.folder = mkdtempSync(join(tmpdir(), "svc-replay-"));
  context.file = join(context.folder, "record.jsonl");
  context.project = new TemporaryProject({
    "plugins/price.ts": PLUGINS,
    "tsconfig.json": NODE_TYPES,
  });
  await buildProject(context.project.folder);
});
test.after(({ project, folder }) => {
  project.remove();
  rmSync(folder, { recursive: true });
});

/** Starts a release, passes it to `work`, and stops it. */
async function during<T>(
  { project }: Context,
  release: string,
  options: readonly string[],
  work: (server: RunningServer) => Promise<T>,
): Promise<T> {
  process.env.RELEASE = release;
  const server = await serve(project.folder, "--explain", "off", ...options);
  delete process.env.RELEASE;
  try {
    return await work(server);
  } finally {
    await server.stop();
  }
}

function recorded(file: string): RecordedRequest[] {
  const [head, ...lines] = readFileSync(file, "utf8").trimEnd().split("\n");
  assert.is(JSON.parse(head!).record, 1);
  return lines.map((line) => JSON.parse(line));
}

function replay(file: string, { port }: RunningServer, ...options: string[]) {
  return runCommand("replay", file, "--against", `http://127.0.0.1:${port}`, ...options);
}

const SECRETS = { authorization: "Bearer secret", cookie: "id=secret", "x-api-key": "secret" };
const TEXT = { method: "POST", body: "private", headers: { "content-type": "text/plain" } };

test("records requests for plugins without credentials", async (context) => {
  const { file } = context;
  await during(context, "1", ["--record", file], async ({ port }) => {
    for (const of of ["same", "changed", "gone"]) {
      await get(port, `/svc/plugin/price?of=${of}`, { headers: { ...SECRETS, accept: "text/*" } });
    }
    await get(port, "/svc/plugin/price?of=b%20c");
    await get(port, "/svc/plugin/price");
    await get(port, "/svc/plugin/long?length=200000");
    await get(port, "/svc/plugin/count", TEXT);
    await get(port, "/svc/hc");
    await get(port + 1, "/svc/plugin/price?of=admin");
  });
  const text = readFileSync(file, "utf8");
  assert.not.match(text, /secret|private|admin/);
  assert.is(statSync(file).mode & 0o777, 0o600);
  const entries = recorded(file);
  assert.equal(
    entries.map(({ method, target, status }) => `${method} ${target} ${status}`),
    [
      "GET /svc/plugin/price?of=same 200",
      "GET /svc/plugin/price?of=changed 200",
      "GET /svc/plugin/price?of=gone 200",
      "GET /svc/plugin/price?of=b%20c 200",
      "GET /svc/plugin/price 400",
      "GET /svc/plugin/long?length=200000 200",
      "POST /svc/plugin/count 200",
    ],
  );
  assert.equal(entries[0]!.fields, { accept: "text/*" });
  assert.is(entries[4]!.bytes, null, "errors are compared by their status");
  assert.ok(entries[5]!.bytes! > 200_000);
  assert.is(entries[5]!.digest, null, "so much is not hashed beside other requests");
  assert.is(entries[6]!.sent, 7);
});

test("finds no differences for the same release", async (context) => {
  await during(context, "1", [], async (server) => {
    const { code, out } = await replay(context.file, server, "--speed", "1000");
    assert.match(out, /^replayed 6 requests in \d+\.\d s\n {2}1 skipped: unsafe method/);
    assert.match(out, /\nms +p50 +p95 +p99 +max\nrecorded( +\d+\.\d){4}\nnow( +\d+\.\d){4}\n/);
    assert.match(out, /\nall responses match the recording\n$/);
    assert.is(code, 0);
  });
});

test("reports different responses of another release", async (context) => {
  await during(context, "2", [], async (server) => {
    const people = await replay(context.file, server, "--speed", "max", "--connections", "1");
    assert.match(people.out, /\n2 responses differ\n {2}GET \S+of=changed {2}different response\n/);
    assert.match(people.out, /\n {2}GET \S+of=gone {2}200 -> 404\n$/);
    assert.is(people.code, 1);
    const machines = await replay(context.file, server, "--include-writes", "--json");
    const { sent, differing, left, examples } = JSON.parse(machines.out);
    assert.equal([sent, differing, left], [6, 2, { "request body was not recorded": 1 }]);
    assert.is(examples.length, 2);
  });
});

test("records bodies on request, and a sample of requests", async (context) => {
  const file = join(context.folder, "bodies.jsonl");
  const options = ["--record", file, "--record-bodies", "--record-sample-every", "2"];
  await during(context, "1", options, async (server) => {
    for (let request = 0; request < 4; request++) {
      await get(server.port, "/svc/plugin/count", { ...TEXT, body: "x".repeat(request) });
    }
  });
  const bodies = recorded(file).map(({ body = "", answer }) => [
    Buffer.from(body, "base64").toString(),
    Buffer.from(answer!, "base64").toString(),
  ]);
  assert.equal(bodies, [
    ["", '{"status": "OK", "response": 0'],
    ["xx", '{"status": "OK", "response": 2'],
  ]);
  await during(context, "1", [], async (server) => {
    const { code, out } = await replay(file, server, "--include-writes", "--speed", "max");
    assert.match(out, /^replayed 2 requests .*\n(?:.*\n)*all responses match the recording\n$/);
    assert.is(code, 0);
  });
});

test("aborts endless streams, and skips pauses between starts", async ({ folder }) => {
  const file = join(folder, "streams.jsonl");
  const day = 24 * 60 * 60 * 1000;
  const line = (time: number, target: string) => {
    const stream = { status: 200, ms: 1, bytes: null, digest: null };
    return { at: time, method: "GET", target, fields: {}, sent: 0, ...stream };
  };
  const head = { record: 1 };
  const lines = [head, line(day, "/endless"), line(day, "/short"), head, line(2 * day, "/short")];
  writeFileSync(file, lines.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
  const server = createServer(({ url }, response) => {
    response.write("data: 1\n\n");
    if (url === "/short") response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  try {
    const { code, out } = await runCommand("replay", file, "--against", `http://127.0.0.1:${port}`);
    assert.match(out, /^replayed 3 requests in /);
    assert.is(code, 0);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test("aborts the start when the file cannot be written", async ({ project, folder }) => {
  const file = join(folder, "none", "record.jsonl");
  const { code, err } = await runCommand("serve", project.folder, "--port", "0", "--record", file);
  assert.is(code, 1);
  assert.match(err, /^svc: error SVC2890: the record \S+record\.jsonl cannot be written: ENOENT/m);
});

test("reports requests that cannot be replayed", async ({ folder, file }) => {
  const empty = join(folder, "empty");
  const otherRoot = join(folder, "other");
  const fields = join(folder, "fields");
  writeFileSync(empty, "");
  writeFileSync(otherRoot, '{"some": "thing"}\n');
  writeFileSync(fields, "X-Key: 1\nsecret\n");
  const to = ["--against", "http://127.0.0.1:1"];
  const cases: readonly [words: string[], expected: RegExp][] = [
    [[file], /SVC3321: --against: expected a server URL, got nothing/],
    [[file, "--against", "ftp://x"], /SVC3321: .*got "ftp:\/\/x"/],
    [[file, ...to], /SVC3321: no response from http:\/\/127\.0\.0\.1:1: connect ECONNREFUSED/],
    [[join(folder, "nothing"), ...to], /SVC3320: \S+nothing cannot be read: ENOENT/],
    [[empty, ...to], /SVC3320: \S+empty:1: invalid recorded request: the file is empty/],
    [[otherRoot, ...to], /SVC3320: \S+other:1: invalid recorded request: not a recorded request/],
    [[file, ...to, "--headers-file", fields], /SVC3322: \S+fields:2: invalid header line/],
  ];
  const outcomes = await Promise.all(cases.map(([words]) => runCommand("replay", ...words)));
  outcomes.forEach(({ code, err }, index) => {
    assert.match(err, cases[index]![1]);
    assert.not.match(err, /secret/);
    assert.is(code, 2);
  });
});

test("counts invalid entries of a recording, even the first one", async ({ folder }) => {
  const server = createServer((_request, response) => response.end()).listen(0, "127.0.0.1");
  await new Promise((listening) => server.once("listening", listening));
  const { port } = server.address() as AddressInfo;
  const reply = { status: 200, ms: 1, bytes: null, digest: null };
  const right = { at: 1, method: "GET", target: "/x", fields: {}, sent: 0, ...reply };
  const invalidRecords = [{ target: "/x y" }, { fields: { "x y": "1" } }];
  const lines = [...invalidRecords.map((part) => ({ ...right, ...part })), right, { at: 2 }].map(
    (entry) => JSON.stringify(entry),
  );
  const file = join(folder, "invalid.jsonl");
  writeFileSync(file, ['{"record":1}', ...lines, '{"at', "", '{"record":1}', ""].join("\n"));
  try {
    const { code, out } = await runCommand("replay", file, "--against", `http://127.0.0.1:${port}`);
    assert.match(out, /^replayed 1 requests in /);
    assert.match(out, /^ {2}2 skipped: invalid request$/m);
    assert.match(out, /^ {2}2 skipped: invalid line of the recording$/m);
    assert.is(code, 0);
  } finally {
    server.close();
  }
});

test("does not report a match if no request is sent", async ({ folder }) => {
  const file = join(folder, "cut.jsonl");
  const change = { at: 1, method: "POST", target: "/x", fields: {}, sent: 0, status: 200, ms: 1 };
  const cut = '{"at":2,"method":"GET","target":"/x","fie';
  writeFileSync(file, `{"record":1}\n${JSON.stringify(change)}\n${cut}`);
  const { code, out } = await runCommand("replay", file, "--against", "http://127.0.0.1:1");
  assert.match(out, /\n {2}1 skipped: invalid line of the recording\n/);
  assert.match(out, /\nno request of the recording was sent: nothing was compared\n$/);
  assert.is(code, 2);
});

test.run();
