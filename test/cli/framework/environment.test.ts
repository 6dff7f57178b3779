// The `.env` file of a project.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { loadEnvironment } from "../../../cli/framework/environment.js";

const test = suite("environment file");

test("sets variables that the environment lacks, also of a file with a byte order mark", () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-env-"));
  const names = ["SVC_TEST_FIRST", "SVC_TEST_SET", "SVC_TEST_EMPTY"] as const;
  try {
    loadEnvironment(folder);
    Object.assign(process.env, { SVC_TEST_SET: "kept", SVC_TEST_EMPTY: "" });
    const lines = names.map((name) => `${name}="of the file"\r\n`);
    writeFileSync(join(folder, ".env"), `\uFEFF${lines.join("")}`);
    loadEnvironment(folder);
    const values = names.map((name) => process.env[name]);
    assert.equal(values, ["of the file", "kept", ""]);
  } finally {
    for (const name of names) delete process.env[name];
    rmSync(folder, { recursive: true });
  }
});

test.run();
