// The declarations of the package in a strict project without other packages: no types of Node, and
// no skipLibCheck.
// limit: 60 s

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { packageRoot } from "../../runtime/base/package-info.js";

const test = suite("declarations");
const ROOT = packageRoot();
const ENTRIES = [
  ..."runtime/index runtime/settings/config runtime/system/descriptor".split(" "),
  ..."runtime/plugin/convert compiler/index cli/testing/index".split(" "),
];

test("every entry compiles strictly without the types of Node", () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-declarations-"));
  try {
    const files = ENTRIES.map((entry) => join(ROOT, `dist/types/${entry}.d.ts`));
    const compilerOptions = {
      ...{ target: "es2022", module: "nodenext", types: [], strict: true, noEmit: true },
      skipLibCheck: false,
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
    const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
    const { stdout } = spawnSync(process.execPath, [compiler, "-p", folder], { encoding: "utf8" });
    assert.is(stdout, "");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.run();
