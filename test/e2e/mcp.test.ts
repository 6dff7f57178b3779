// `svc mcp` as programs use it: started by the official client, over standard input and output.
// limit: 60 s
// takes 15 s

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { buildTools } from "../../argspec/mcp/tools.js";
import { readArgspec } from "../../argspec/read-argspec.js";
import { packageRoot } from "../../runtime/base/package-info.js";
import { plainNode } from "../runner/node-command.mjs";
import { ScriptedServer } from "./support/scripted-server.js";
import { buildProject, get, type RunningServer, serve } from "./support/server.js";
import { TemporaryProject } from "./support/temporary-project.js";

const test = suite("svc mcp");
const BIN = join(packageRoot(), "bin/svc.cjs");
const LONG = "a".repeat(129);
const PLUGINS = `import type { bytes, float, int, PluginRequest, str } from "svc-server";
import { PluginResponse } from "svc-server";

declare const console: { log(text: string): void };

export interface City {
  name: str;
  population: int;
}

/** Finds cities. @plugin @readonly */
export function search(_request: PluginRequest, q: str, n: int = 10): PluginResponse<str, City> {
  const response = new PluginResponse<str, City>();
  if (n > 0) response.append(q, { name: q, population: n });
  return response;
}

/** Moves people there. @plugin */
export function move(_request: PluginRequest, city: City, people: int = 1): City {
  return { ...city, population: city.population + people };
}

/** @plugin @readonly */
export function count(_request: PluginRequest, octets: bytes, content: bytes): int {
  return octets.length + 1000 * content.length;
}

/** @plugin */
export function half(_request: PluginRequest, of: float): { value: float } {
  return { value: of < 0 ? Number.NaN : of / 2 };
}

/** @plugin */
export function fail(_request: PluginRequest): null {
  console.log("on the way to fail");
  throw new RangeError("too far");
}

/** @plugin */
export function ${LONG}(_request: PluginRequest): null {
  return null;
}
`;
let project: TemporaryProject;
let served: RunningServer;
let url = "";

test.before(async () => {
  project = new TemporaryProject({ "plugins/all.ts": PLUGINS });
  await buildProject(project.folder);
  served = await serve(project.folder, "--prefix", "shop");
  url = `http://127.0.0.1:${served.port}/shop/`;
});
test.after(async () => {
  await served.end();
  project.remove();
});

interface Connected {
  readonly client: Client;
  readonly transport: StdioClientTransport;
  errors(): string;
}

/** A client of `svc mcp`, in which code generation from strings is disabled. */
async function connected(words: readonly string[], mode: "legacy" | "auto" = "legacy") {
  const args = ["--disallow-code-generation-from-strings", BIN, "mcp", ...words];
  const transport = new StdioClientTransport({ command: plainNode(), args, stderr: "pipe" });
  let errors = "";
  transport.stderr!.on("data", (chunk: Buffer) => {
    errors += chunk;
  });
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(transport);
  return { client, transport, errors: () => errors } satisfies Connected;
}

async function call({ client }: Connected, name: string, args: Record<string, unknown>) {
  const result = await client.callTool({ name, arguments: args });
  const [content] = result.content;
  const text = content?.type === "text" ? content.text : null;
  return { text, isError: result.isError === true, structure: result.structuredContent };
}

async function expectCalls(tools: Connected): Promise<void> {
  assert.equal(await call(tools, "move", { city: { name: "Oslo", population: 1 } }), {
    text: '{"name":"Oslo","population":2}',
    isError: false,
    structure: { name: "Oslo", population: 2 },
  });
  const result = await call(tools, "search", { q: "Æ&(int)" });
  assert.equal((result.structure as { entries: unknown }).entries, [
    ["Æ&(int)", { name: "Æ&(int)", population: 10 }],
  ]);
  const counted = await call(tools, "count", { octets: "/wA=", content: "aGVsbG8=" });
  assert.equal(counted, { text: "5002", isError: false, structure: undefined });
  const invalidCall = await call(tools, "half", { of: -1 });
  assert.ok(
    invalidCall.isError && /^(result|answer) error: /.test(invalidCall.text!),
    invalidCall.text!,
  );
  const failed = await call(tools, "fail", {});
  const expectedError = "plugin error: /svc/plugin/fail: too far\nexception: RangeError";
  assert.equal(failed, { text: expectedError, isError: true, structure: undefined });
  const rejection = await call(tools, "search", { q: 1 });
  assert.ok(rejection.isError && rejection.text!.startsWith("parameter error: "));
  await assertRejects(call(tools, "nosuch", {}), /tool not found: nosuch/);
}

async function assertRejects(promise: Promise<unknown>, pattern: RegExp): Promise<void> {
  const error = await promise.then(
    () => null,
    (reason: Error) => reason,
  );
  assert.match(String(error), pattern);
}

test("offers the plugins of a running server, in both protocol generations", async () => {
  const file = join(project.folder, ".svc/argspec.json");
  const argspec = readArgspec(JSON.parse(readFileSync(file, "utf8")));
  const expected = [...buildTools(argspec).tools.values()].map(({ tool }) => tool);
  for (const [mode, era] of [
    ["legacy", "legacy"],
    ["auto", "modern"],
  ] as const) {
    const tools = await connected(["--from", url], mode);
    assert.is(tools.client.getProtocolEra(), era);
    assert.is(tools.client.getServerVersion()?.name, "temporary");
    assert.equal((await tools.client.listTools()).tools, expected);
    await expectCalls(tools);
    assert.match(tools.errors(), `\`${LONG}\` is omitted: names of tools have 128 characters`);
    await tools.client.close();
  }
});

test("serves a build without mixing its output with the protocol", async () => {
  const tools = await connected([project.folder]);
  await expectCalls(tools);
  const { pid } = tools.transport;
  await tools.client.close();
  assert.not(isAlive(pid!));
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test("aborts the request of a cancelled call", async () => {
  const server = await ScriptedServer.start();
  const argspec = readFileSync(join(project.folder, ".svc/argspec.json"), "utf8");
  server.script((response) => response.end(`{"status":"OK","response":${argspec}}`));
  const tools = await connected(["--from", server.url]);
  try {
    const ended = new Promise<void>((resolve) => {
      server.script((response) => response.on("close", resolve));
    });
    const controller = new AbortController();
    const arrived = server.arrival();
    const { signal } = controller;
    const called = tools.client.callTool({ name: "fail", arguments: {} }, { signal });
    const rejected = assertRejects(called, /.+/);
    await arrived;
    controller.abort();
    await Promise.all([rejected, ended]);
  } finally {
    await tools.client.close();
    await server.close();
  }
});

test("reports a stopped server and continues", async () => {
  const otherServer = await serve(project.folder);
  const tools = await connected(["--from", `http://127.0.0.1:${otherServer.port}`]);
  await otherServer.stop();
  const { text, isError } = await call(tools, "search", { q: "a" });
  assert.ok(isError);
  assert.match(text!, /^network error: .*ECONNREFUSED/);
  assert.is((await tools.client.listTools()).tools.length, 5);
  await tools.client.close();
});

interface Message {
  readonly id?: number;
  readonly result?: unknown;
}

/** `svc mcp` without a client; `lines` is its output. */
function runPlain(...words: readonly string[]) {
  const child = spawn(plainNode(), [BIN, "mcp", ...words], { stdio: "pipe" });
  const output = { out: "", err: "" };
  child.stdout.on("data", (chunk: Buffer) => {
    output.out += chunk;
  });
  child.stderr.on("data", (chunk: Buffer) => {
    output.err += chunk;
  });
  const messages = () =>
    output.out
      .trim()
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Message);
  return { child, output, messages, closed: once(child, "close") };
}

const HELLO = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  },
};
const LIST = { jsonrpc: "2.0", id: 2, method: "tools/list" };

test("ignores invalid lines and ends with its input", async () => {
  for (const words of [["--from", url], [project.folder]]) {
    const { child, output, messages, closed } = runPlain(...words);
    child.stdin.write('no json\n{}\n[1]\nnull\n\n{"jsonrpc":"2.0"}\n\u0000\ufffd\n');
    child.stdin.write(`${JSON.stringify(HELLO)}\n`);
    child.stdin.write(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":1}}\n`);
    child.stdin.write(`${JSON.stringify(LIST)}\n`);
    while (!messages().some(({ id }) => id === 2)) await once(child.stdout, "data");
    child.stdin.end();
    const [code] = await closed;
    assert.is(code, 0, output.err);
    assert.ok(messages().every((message) => "jsonrpc" in message));
  }
});

test("answers a running call after its input has ended", async () => {
  const child = spawn(process.execPath, [BIN, "mcp", "--from", url]);
  const exited = once(child, "exit");
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  child.stdin.write(`${JSON.stringify(HELLO)}\n`);
  const params = { name: "half", arguments: { of: 5 } };
  const call = { jsonrpc: "2.0", id: 8, method: "tools/call", params };
  child.stdin.end(`${JSON.stringify(call)}\n`);
  await exited;
  const reply = output.split("\n").find((line) => line.includes('"id":8'));
  assert.match(reply ?? output, '"value\\":2.5');
});

test("ends before the first request", async () => {
  const { child, output, closed } = runPlain("--from", url);
  child.stdin.end();
  assert.equal(await closed, [0, null]);
  assert.is(output.out, "");
});

test("stops in order on a signal, with its server", async () => {
  const { child, output, messages, closed } = runPlain(project.folder);
  child.stdin.write(`${JSON.stringify(HELLO)}\n`);
  while (messages().length === 0) await once(child.stdout, "data");
  child.kill("SIGTERM");
  assert.equal(await closed, [0, null]);
  assert.match(output.err, "draining requests");
});

test("reports plugins that it cannot serve, and how to reach a running server", async () => {
  const graphs = new TemporaryProject({
    "plugins/graph.ts": `import type { Graph, PluginRequest } from "svc-server";
/** @plugin @graph things */
export function size(_request: PluginRequest, graph: Graph): number {
  return graph.order;
}
`,
  });
  try {
    const unbuilt = runPlain(graphs.folder);
    assert.equal(await unbuilt.closed, [1, null]);
    assert.match(unbuilt.output.err, /SVC3006: project is not built/);
    await buildProject(graphs.folder);
    const runningServer = await serve(graphs.folder);
    // The first use of a graph locks the data folder for this process.
    assert.is((await get(runningServer.port, "/svc/plugin/size")).status, 200);
    const second = runPlain(graphs.folder);
    assert.equal(await second.closed, [1, null]);
    assert.match(second.output.err, /SVC2409[\s\S]*SVC3021: .* running server with `--from <url>`/);
    assert.is(second.output.out, "");
    await runningServer.stop();
  } finally {
    graphs.remove();
  }
});

test("rejects invalid arguments", async () => {
  const usageErrors: [words: readonly string[], code: number, says: string][] = [
    [[project.folder, "--from", url], 2, "SVC3004: `svc mcp` takes a folder or `--from`"],
    [["--from", project.folder], 2, "SVC3003: --from: expected the http or https URL"],
    [["--from", "http://"], 2, "SVC3003"],
    [["--from", "http://127.0.0.1:1"], 1, "SVC3016: no response from"],
    [["nosuch"], 1, "SVC3005"],
  ];
  for (const [words, code, message] of usageErrors) {
    const { output, closed } = runPlain(...words);
    assert.equal(await closed, [code, null], output.err);
    assert.match(output.err, message);
    assert.is(output.out, "");
  }
});

test.run();
