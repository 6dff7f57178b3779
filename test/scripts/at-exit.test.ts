// Scripts clean up however they end.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";

const test = suite("at exit");
const AT_EXIT = new URL("../../scripts/at-exit.mjs", import.meta.url).href;
const SERVERS = new URL("../../bench/lib/server.mjs", import.meta.url).href;
const SCRIPT = `
const { atExit } = await import(${JSON.stringify(AT_EXIT)});
for (const name of ["one", "two"]) atExit(() => console.log("undone " + name));
console.log("ready");
process.stdin.on("data", (text) => {
  if (String(text) === "fail") throw new Error("as wanted");
  process.stdin.destroy();
});
`;

function start(script: string) {
  return spawn(process.execPath, ["--input-type=module", "-e", script]);
}

for (const [end, code] of [
  ["SIGINT", 1],
  ["SIGTERM", 1],
  ["SIGHUP", 1],
  ["fail", 1],
  ["return", 0],
] as const) {
  test(`cleans up once on ${end}`, async () => {
    const script = start(SCRIPT);
    let out = "";
    script.stdout.setEncoding("utf8").on("data", (text) => {
      out += text;
      if (out !== "ready\n") return;
      if (end.startsWith("SIG")) script.kill(end as NodeJS.Signals);
      else script.stdin.write(end);
    });
    assert.equal(await once(script, "close"), [code, null]);
    assert.is(out, "ready\nundone two\nundone one\n");
  });
}

test("a failing step prevents no other step, and cancelled steps do not run", async () => {
  const script = start(`
    const { atExit } = await import(${JSON.stringify(AT_EXIT)});
    atExit(() => console.log("undone"));
    atExit(() => console.log("cancelled"))();
    atExit(() => { throw new Error("as wanted"); });
  `);
  let out = "";
  script.stdout.setEncoding("utf8").on("data", (text) => {
    out += text;
  });
  assert.equal(await once(script, "close"), [1, null]);
  assert.is(out, "undone\n");
});

test("servers of a benchmark end with the benchmark", async () => {
  const script = start(`
    const { startPeer } = await import(${JSON.stringify(SERVERS)});
    console.log((await startPeer("node-http")).port);
  `);
  const [port] = await once(script.stdout.setEncoding("utf8"), "data");
  const isUp = (): Promise<boolean> =>
    fetch(`http://127.0.0.1:${Number(port)}`).then(
      () => true,
      () => false,
    );
  assert.ok(await isUp());
  script.kill("SIGTERM");
  await once(script, "close");
  while (await isUp()) await delay(5);
});

test.run();
