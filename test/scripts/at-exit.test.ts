// Scripts clean up however they end.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { suite } from "uvu";
import * as assert from "uvu/assert";

const test = suite("at exit");
const AT_EXIT = new URL("../../scripts/at-exit.mjs", import.meta.url).href;
const SCRIPT = `
const { atExit } = await import(${JSON.stringify(AT_EXIT)});
for (const name of ["one", "two"]) atExit(() => console.log("undone " + name));
console.log("ready");
process.stdin.on("data", (text) => {
  if (String(text) === "fail") throw new Error("as wanted");
  process.stdin.destroy();
});
`;

for (const [end, code] of [
  ["SIGINT", 1],
  ["SIGTERM", 1],
  ["SIGHUP", 1],
  ["fail", 1],
  ["return", 0],
] as const) {
  test(`what was made is undone once: ${end}`, async () => {
    const script = spawn(process.execPath, ["--input-type=module", "-e", SCRIPT]);
    let out = "";
    script.stdout.setEncoding("utf8").on("data", (text) => {
      out += text;
      if (out !== "ready\n") return;
      if (end.startsWith("SIG")) script.kill(end as NodeJS.Signals);
      else script.stdin.write(end);
    });
    assert.equal(await once(script, "close"), [code, null]);
    assert.is(out, "ready\nundone one\nundone two\n");
  });
}

test.run();
