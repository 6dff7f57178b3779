// The recorder of requests when writing its file fails.

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Recorder } from "../../../runtime/engine/recorder.js";
import type { Exchange } from "../../../runtime/http/transport.js";

const test = suite("recorder");
const OPTIONS = { service: null, every: 1, bodies: false };

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

test("ends at its maximum size, and reports it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-recorder-"));
  const path = join(folder, "record");
  try {
    const recorder = new Recorder({ ...OPTIONS, bodies: true, maxBytes: 4096, path });
    recorder.open();
    const exchange = {
      ...{
        countedPlugin: {},
        principal: null,
        isWarmUp: false,
        method: "GET",
        target: "/svc/plugin/a",
        t0Ms: 0,
        body: null,
      },
      headers: { get: () => undefined },
    } as unknown as Exchange;
    for (let request = 0; request < 20; request++) {
      recorder.recordResponse(exchange, 0, 200, "text/plain", "x".repeat(500));
    }
    await recorder.close();
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    assert.ok(lines.length > 2 && lines.length < 20, `${lines.length} lines`);
    assert.ok(statSync(path).size <= 4096);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.run();
