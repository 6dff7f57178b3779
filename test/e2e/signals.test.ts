// Cancellation seen by a plugin: client disconnects and deadlines; and plugins with timeouts of
// their own.
// limit: 60 s

import { connect, type Socket } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { RunningProject } from "./support/running-project.js";
import { get, svc } from "./support/server.js";

const PLUGINS = `import type { PluginRequest, str } from "svc-server";

const ended: string[] = [];

/** Ends when the client no longer waits. @plugin */
export async function wait(request: PluginRequest, name: str): Promise<string> {
  const { signal } = request;
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
  ended.push(\`\${name} \${(signal.reason as { name: string }).name}\`);
  return name;
}

/** The same, with its own timeout. @plugin @timeout 100ms */
export async function brief(request: PluginRequest, name: str): Promise<string> {
  return wait(request, name);
}

const gates: (() => void)[] = [];

/** Reads its signal once the gate is open. @plugin */
export async function behind(request: PluginRequest, name: str): Promise<string> {
  await new Promise<void>((resolve) => gates.push(resolve));
  return wait(request, name);
}

/** @plugin */
export function waiting(_request: PluginRequest): number {
  return gates.length;
}

/** @plugin */
export function open(_request: PluginRequest): void {
  for (const gate of gates.splice(0)) gate();
}

/** Reads its signal after the response. @plugin */
export function after(request: PluginRequest): void {
  Promise.resolve().then(() => {
    const { reason } = request.signal;
    ended.push(\`after \${(reason as { name: string } | undefined)?.name}\`);
  });
}

/** @plugin */
export function ends(_request: PluginRequest): string[] {
  return ended;
}

/** @plugin */
export function calm(request: PluginRequest): boolean {
  return request.signal === request.signal && !request.signal.aborted;
}
`;

const test = suite("request signals");
const project = new RunningProject(test, { "plugins/p.ts": PLUGINS });

const request = (path: string, headers: Record<string, string> = {}) =>
  get(project.server.port, `/svc/plugin/${path}`, { headers });

/** Waits until the plugin has recorded the end of a request. */
async function untilEnded(line: string): Promise<void> {
  for (;;) {
    const ended = (await request("ends")).json.response as readonly string[];
    if (ended.includes(line)) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function untilWaiting(): Promise<void> {
  while ((await request("waiting")).json.response !== 1) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function begin(path: string): Promise<Socket> {
  const socket = connect(project.server.port, "127.0.0.1");
  const text = `GET /svc/plugin/${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
  await new Promise((resolve) => socket.write(text, resolve));
  return socket;
}

test("abort when the client disconnects", async () => {
  const socket = await begin("wait?name=gone");
  assert.is((await request("calm")).json.response, true);
  socket.destroy();
  await untilEnded("gone AbortError");
});

test("abort at the client's deadline and at the plugin's timeout", async () => {
  assert.is((await request("wait?name=late", { "X-SVC-Deadline": "50" })).status, 500);
  await untilEnded("late TimeoutError");
  const brief = await request("brief?name=brief");
  assert.is(brief.status, 500);
  await untilEnded("brief TimeoutError");
});

test("are aborted when read late", async () => {
  const socket = await begin("behind?name=left");
  await untilWaiting();
  const next = await begin("wait?name=next");
  assert.is((await request("calm")).json.response, true);
  socket.destroy();
  next.destroy();
  await untilEnded("next AbortError");
  await request("open");
  await untilEnded("left AbortError");
  assert.is((await request("behind?name=slow", { "X-SVC-Deadline": "50" })).status, 500);
  await untilWaiting();
  await request("open");
  await untilEnded("slow TimeoutError");
  await request("after");
  await untilEnded("after AbortError");
});

test("require a unit for a timeout", async () => {
  const invalidProject = new RunningProject(test, {
    "plugins/p.ts": `import type { PluginRequest } from "svc-server";
/** @plugin @timeout 2 */
export function a(_request: PluginRequest): number { return 1; }
`,
  });
  assert.match(await svc("check", invalidProject.folder).then(String, String), "SVC1145");
  invalidProject.remove();
});

test.run();
