// The time of the newest dump of a data folder.

import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { LOG_FOLDER } from "../../../runtime/base/graph-names.js";
import { newestDumpSeconds } from "../../../runtime/builtin/services/prometheus/newest-dump.js";

const test = suite("newest dump");
let root = "";

test.before.each(() => {
  root = mkdtempSync(join(tmpdir(), "svc-newest-dump-"));
});

test.after.each(() => rmSync(root, { recursive: true }));

function addDump(name: string, seconds: number): void {
  const folder = join(root, `opdump_${name}.tx`, LOG_FOLDER);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "segment");
  writeFileSync(file, "");
  utimesSync(file, seconds, seconds);
}

test("is null without a dump, and without a data folder", () => {
  mkdirSync(join(root, "shop"));
  assert.is(newestDumpSeconds(root), null);
  assert.is(newestDumpSeconds(join(root, "missing")), null);
});

test("is the latest time of all dumps", () => {
  addDump("a", 1000);
  addDump("b", 3000);
  addDump("c", 2000);
  assert.is(newestDumpSeconds(root), 3000);
});

test("skips incomplete dumps", () => {
  mkdirSync(join(root, "opdump_a.tx"));
  addDump("b", 3000);
  mkdirSync(join(root, "opdump_c.tx"));
  assert.is(newestDumpSeconds(root), 3000);
});

test.run();
