// The recorder of requests when writing its file fails.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Recorder } from "../../../runtime/engine/recorder.js";

const test = suite("recorder");
const OPTIONS = { service: null, every: 1, bodies: false, maxMb: 1 };

test("stops a server despite a full disk", async () => {
  const recorder = new Recorder({ ...OPTIONS, path: "/dev/full" });
  recorder.open();
  await recorder.close();
});

test("isolates a partial line left by a killed process", async () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-recorder-"));
  const path = join(folder, "record");
  try {
    writeFileSync(path, '{"record":1}\n{"at":12');
    const recorder = new Recorder({ ...OPTIONS, path });
    recorder.open();
    await recorder.close();
    const lines = readFileSync(path, "utf8").split("\n");
    assert.is(lines[1], '{"at":12');
    assert.is(JSON.parse(lines[2]!).record, 1);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.run();
