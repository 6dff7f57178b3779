// `svc matrix` as a user runs it: its output, a matrix that serves, an engine that is killed and
// restarts, and a stop without orphaned processes.
// limit: 60 s
// takes 15 s

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { packageRoot } from "../../runtime/base/package-info.js";
import { COMPILED_CODE } from "../runner/node-command.mjs";
import { buildProject, get } from "./support/server.js";
import { TemporaryProject } from "./support/temporary-project.js";

const test = suite("svc matrix");
const PROJECT = join(packageRoot(), "examples", "matrix");
const INSTANCE = /^ {2}(\w.*?) +http:\/\/127\.0\.0\.1:(\d+) {2}up, pid (\d+)$/gm;
let root = "";

test.before(async () => {
  root = mkdtempSync(join(tmpdir(), "svc-matrix-"));
  await buildProject(PROJECT);
});
test.after(() => rmSync(root, { recursive: true }));

/** A running `svc matrix`. */
class Run {
  readonly child: ChildProcess;
  readonly exited: Promise<unknown[]>;
  out = "";
  err = "";
  #changed: () => void = () => {};

  constructor(...words: string[]) {
    const bin = join(packageRoot(), "bin", "svc.cjs");
    const args = [...COMPILED_CODE, bin, "matrix", ...words, "--root", root];
    // Warm code takes longer than a start.
    const env = { ...process.env, SVC_NO_WARM_UP: "true" };
    this.child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"], env });
    this.exited = once(this.child, "close");
    this.child.stdout!.setEncoding("utf8").on("data", (text: string) => {
      this.out += text;
      this.#changed();
    });
    this.child.stderr!.setEncoding("utf8").on("data", (text: string) => {
      this.err += text;
    });
  }

  /** Resolves once the output contains a text. */
  async until(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.out)) {
      const isOver = await Promise.race([
        this.exited.then(() => true),
        new Promise<boolean>((resolve) => {
          this.#changed = () => resolve(false);
        }),
      ]);
      assert.ok(!isOver || pattern.test(this.out), `ended with\n${this.out}${this.err}`);
    }
  }

  /** Instances that have started, in order of their start. */
  instances(): { name: string; port: number; pid: number }[] {
    const lines = [...this.out.matchAll(INSTANCE)];
    return lines.map(([, name, port, pid]) => ({
      name: name!,
      port: Number(port),
      pid: Number(pid),
    }));
  }
}

/** Path and query of the printed sample command. */
function findSample({ out }: Run): string {
  const { pathname, search } = new URL(/curl "([^"]+)"/.exec(out)![1]!);
  return pathname + search;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

interface Merged {
  readonly hitcount: number;
  readonly entries: readonly (readonly [number, unknown])[];
}

async function highest(port: number): Promise<number[]> {
  const { status, text, json } = await get(port, "/svc/plugin/heights?n=3");
  assert.is(status, 200, text);
  assert.equal(json.partitions, [2, 0, 2]);
  const { hitcount, entries } = json.response as Merged;
  assert.is(hitcount, 34);
  return entries.map(([height]) => height);
}

test("starts engines and a dispatcher, and serves while engines die", async () => {
  const run = new Run("2x2", PROJECT, "--port", "0", "--channels", "5");
  try {
    await run.until(/press Ctrl-C[\s\S]*curl/);
    const instances = run.instances();
    assert.equal(instances.map(({ name }) => name).sort(), [
      "dispatcher",
      "partition 0 replica 0",
      "partition 0 replica 1",
      "partition 1 replica 0",
      "partition 1 replica 1",
    ]);
    const { port } = instances.find(({ name }) => name === "dispatcher")!;
    assert.match(
      run.out,
      `curl "http://127.0.0.1:${port}/svc/plugin/mountains?continent=South%20America"`,
    );
    assert.is((await get(port, findSample(run))).status, 200);
    const { replicas } = JSON.parse(readFileSync(join(root, "dispatcher.json"), "utf8"));
    assert.equal(replicas, new Array(2).fill({ channels: 5, priority: 1 }));

    assert.equal(await highest(port), [8849, 8611, 8586]);
    const response = await get(port, "/svc/plugin/mountains?continent=Africa&n=21");
    assert.equal(response.json.response, {
      highest: ["Kilimanjaro 5895 m", "Mount Kenya 5199 m", "Toubkal 4167 m"],
      found: 3,
      averageHeight: 5087,
      note: "20 are shown at most",
      engines: 2,
    });

    // Engines serve no processors.
    const engine = instances.find(({ name }) => name === "partition 1 replica 0")!;
    assert.is((await get(engine.port, "/svc/plugin/mountains")).status, 404);

    const killed = instances.find(({ name }) => name === "partition 0 replica 0")!;
    process.kill(killed.pid, "SIGKILL");
    await run.until(/partition 0 replica 0 .* down \(SIGKILL\)/);
    for (let time = 0; time < 5; time++) {
      assert.equal(await highest(port), [8849, 8611, 8586]);
    }
    await run.until(/ down [\s\S]*partition 0 replica 0 .* up,/);
    assert.is(run.instances().at(-1)!.port, killed.port);
    run.child.kill("SIGINT");
    assert.equal(await run.exited, [0, null]);
  } finally {
    run.child.kill("SIGKILL");
  }
  assert.equal(
    run.instances().filter(({ pid }) => isAlive(pid)),
    [],
  );
});

test("prints a working sample command in a project without mergeable plugins", async () => {
  const project = new TemporaryProject();
  await buildProject(project.folder);
  const run = new Run("1x2", project.folder, "--port", "0");
  try {
    await run.until(/press Ctrl-C[\s\S]*curl/);
    const { port } = run.instances().find(({ name }) => name === "dispatcher")!;
    const { status, json } = await get(port, findSample(run));
    assert.is(status, 200);
    assert.match(JSON.stringify(json.response), "double");
    run.child.kill("SIGINT");
    assert.equal(await run.exited, [0, null]);
  } finally {
    run.child.kill("SIGKILL");
    project.remove();
  }
});

test("lets engines answer queries of configured graphs", async () => {
  const project = new TemporaryProject();
  project.write("svc.config.ts", "export default { graphs: { shop: {} } };\n");
  await buildProject(project.folder);
  const run = new Run("1x2", project.folder, "--port", "0");
  try {
    await run.until(/press Ctrl-C[\s\S]*curl/);
    const instances = run.instances();
    for (const { name, port } of instances.filter((instance) => /^part/.test(instance.name))) {
      const id = name.slice(0, 11).replace(" ", "");
      const path = `/svc/builtin/createvertex?graph=shop&id=${id}`;
      const init = { method: "POST", headers: { "X-SVC-Change": "1" } };
      assert.is((await get(port, path, init)).status, 200);
    }
    const { port } = instances.find(({ name }) => name === "dispatcher")!;
    const { json } = await get(port, "/svc/builtin/vertices?graph=shop&fields=F_ID");
    assert.equal(json.response, ["partition0", "partition1"]);
  } finally {
    run.child.kill("SIGKILL");
    project.remove();
  }
});

test("stops all instances when one fails to start", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const { port } = taken.address() as { port: number };
  // The first engine has the ports after those of the dispatcher.
  const run = new Run("1x2", PROJECT, "--port", String(port - 2));
  try {
    assert.equal(await run.exited, [1, null]);
  } finally {
    taken.close();
  }
  const { err } = run;
  assert.ok(/partition 0 replica 0: svc: error SVC2202: main port \d+ .*in use/.test(err), err);
  assert.match(err, "svc: error SVC3013: partition 0 replica 0 exited: exit code 1");
  assert.equal(
    run.instances().filter(({ pid }) => isAlive(pid)),
    [],
  );
});

test("stops its engines when it is killed", async () => {
  const run = new Run("1x1", PROJECT, "--port", "0");
  await run.until(/press Ctrl-C/);
  run.child.kill("SIGKILL");
  await run.exited;
  for (const { pid } of run.instances()) {
    while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 20));
  }
});

test.run();
