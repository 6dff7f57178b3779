// `svc init` with unusual folder names.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { run } from "./run-main.js";

const test = suite("svc init");

test("prints a command that changes into the folder, whatever its name", async () => {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), "svc-init-")));
  const packages: Record<string, string> = {
    "my service": "my-service",
    "it's $HOME; `date`": "it-s-home-date-",
    plain: "plain",
    Ünïcode: "n-code",
  };
  try {
    for (const [name, packageName] of Object.entries(packages)) {
      const folder = join(scratch, name);
      const { stdout, code } = await run("init", folder);
      assert.is(code, 0);
      const line = /^ {2}(cd .*)$/m.exec(stdout)![1]!;
      const { stdout: entered } = spawnSync("sh", ["-c", `${line} && pwd`], { encoding: "utf8" });
      assert.is(entered, `${folder}\n`);
      const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      assert.is(manifest.name, packageName);
    }
  } finally {
    rmSync(scratch, { recursive: true });
  }
});

test.run();
