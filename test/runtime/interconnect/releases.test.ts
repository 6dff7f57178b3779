// Data folders and backups of earlier releases: this one opens, changes and restores them.
// test/fixtures/releases holds a file for each one; MAKE_RELEASE=0.2.0 writes that of this code.
// limit: 60 s

import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { crc32, gunzipSync, gzipSync } from "node:zlib";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { M_INT } from "../../../runtime/graph/model/constants.js";
import { checkLog } from "../../../runtime/interconnect/log/check-log.js";
import { realDisk } from "../../../runtime/interconnect/log/disk.js";
import { checkStore } from "../graph/support/check-store.js";
import { graphContent } from "../graph/support/graph-content.js";
import { createWriter, restore, step } from "./archive/support.js";
import type { Instance } from "./support/instance.js";
import {
  begin,
  end,
  type InstancesContext,
  rejectionCode,
  withInstances,
} from "./support/instances.js";

const test = suite<InstancesContext>("releases");
withInstances(test);

const FOLDER = fileURLToPath(new URL("../../fixtures/releases/", import.meta.url));

/** Contents of files in base64, by path. */
type Files = Record<string, string>;

interface Release {
  readonly root: Files;
  readonly backup: Files;
  readonly content: unknown;
}

function readFiles(folder: string): Files {
  const files: Files = {};
  for (const path of readdirSync(folder, { encoding: "utf8", recursive: true }).sort()) {
    const file = join(folder, path);
    const isKept = statSync(file).isFile() && !/svc\.lock|reserve$/.test(path);
    if (isKept) files[path] = readFileSync(file).toString("base64");
  }
  return files;
}

function writeFiles(folder: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), Buffer.from(content, "base64"));
  }
}

function plainContent(instance: Instance): unknown {
  return JSON.parse(JSON.stringify(graphContent(instance.store())));
}

/** Makes half of the contents part of the snapshot; the log has all. */
async function makeRelease(context: InstancesContext): Promise<Release> {
  const instance = await begin(context, "a");
  const graph = instance.graph();
  const fill = (from: number): void => {
    for (let index = from; index < from + 20; index++) {
      const properties = {
        at: index,
        text: `text ${index}`,
        list: [index, index + 1],
        none: null,
        half: index / 2,
      };
      graph.createVertex(`v${index}`, { type: index % 2 === 0 ? "even" : "odd", properties });
      graph.connect(`v${index}`, ["near", M_INT, index], `v${index + 1}`);
      graph.count(`v${index}`, "seen", "hub");
    }
  };
  graph.constrain({ type: "even", key: "text", unique: true });
  fill(0);
  await instance.isFlushed();
  await instance.save();
  fill(20);
  graph.deleteVertex("v7");
  await step(instance, createWriter(context));
  const content = plainContent(instance);
  await end(instance);
  const { folder } = context;
  return { root: readFiles(join(folder, "a")), backup: readFiles(join(folder, "backup")), content };
}

const { MAKE_RELEASE } = process.env;
if (MAKE_RELEASE !== undefined) {
  test("writes the fixture of this release", async (context) => {
    const release = JSON.stringify(await makeRelease(context));
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(join(FOLDER, `${MAKE_RELEASE}.json.gz`), gzipSync(release, { level: 9 }));
  });
}

for (const name of readdirSync(FOLDER)) {
  const read = (): Release => JSON.parse(gunzipSync(readFileSync(join(FOLDER, name))).toString());

  test(`opens, changes and reopens the data folder of ${name}`, async (context) => {
    const { root, content } = read();
    writeFiles(join(context.folder, "a"), root);
    const instance = await begin(context, "a");
    assert.equal(plainContent(instance), content);
    checkStore(instance.store());
    const twin = { type: "even", properties: { text: "text 2" } };
    assert.throws(() => instance.graph().createVertex("twin", twin), /v2/);
    instance.graph().deleteVertex("v4");
    instance.graph().createVertex("added", { type: "new", properties: { at: 1 } });
    await instance.isFlushed();
    await instance.save();
    const changed = plainContent(instance);
    await end(instance);
    assert.equal(plainContent(await begin(context, "a")), changed);
  });

  test(`refuses the data folder of ${name} with the log of a later release`, async (context) => {
    const folder = join(context.folder, "a", "_txlog");
    writeFiles(join(context.folder, "a"), read().root);
    const [segment = ""] = readdirSync(folder).filter((file) => file.endsWith(".seg"));
    const bytes = readFileSync(join(folder, segment));
    bytes.write("SVCLOG3", 0, "latin1");
    bytes.writeUInt32LE(crc32(bytes.subarray(0, 60)), 60);
    writeFileSync(join(folder, segment), bytes);
    assert.is(await rejectionCode(begin(context, "a")), "SVC2506");
    // It is not corrupt: nothing may be repaired.
    assert.throws(() => checkLog(realDisk, folder), /: format 3 is of a later release/);
  });

  test(`restores the backup of ${name}`, async (context) => {
    const { backup, content } = read();
    writeFiles(join(context.folder, "backup"), backup);
    await restore(context, "b");
    assert.equal(plainContent(await begin(context, "b")), content);
  });
}

test.run();
