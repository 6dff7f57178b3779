// A verification reads each object of a backup once, and names the positions around a missing one.

import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { compress } from "../../../../runtime/base/async-calls.js";
import {
  objectName,
  type Piece,
  sha256,
} from "../../../../runtime/interconnect/archive/manifest.js";
import { describePoint } from "../../../../runtime/interconnect/archive/restore-plan.js";
import { verifyBackup } from "../../../../runtime/interconnect/archive/verify-backup.js";
import { MemoryStore } from "../support/memory-store.js";

const test = suite("objects of a verified backup");

test("are read once, and each failure names its neighbors", async () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-verify-"));
  const store = new MemoryStore();
  const add = async (text: string): Promise<Piece> => {
    const bytes = await compress(Buffer.from(text), { level: 1 });
    const object = sha256(bytes);
    await store.put(objectName(object), bytes);
    return { path: `${text}/graph.snapshot`, at: 0, bytes: text.length, object };
  };
  const [oldest, two, three] = [await add("one"), await add("two"), await add("three")];
  const olderManifest = await store.add({ pieces: [oldest] }, { pieces: [two] });
  const { number, log, time } = olderManifest[0]!;
  const fulls = [{ number, hash: store.segmentHash(1), log, time }];
  const [last] = await store.add({ full: 3, pieces: [oldest, three], fulls });
  const gets: string[] = [];
  const get = store.get.bind(store);
  store.get = (name) => {
    gets.push(name);
    return get(name);
  };
  const [first, next] = [describePoint(log), describePoint(last!.log)];
  for (const [{ object }, near] of [
    [oldest, `after: ${next}`],
    [two, `before: ${first}, after: ${next}`],
    [three, `before: ${first}`],
  ] as const) {
    const name = objectName(object);
    const content = store.objects.get(name)!;
    store.objects.delete(name);
    gets.length = 0;
    const failure = await verifyBackup(store, folder).catch(({ message }: Error) => message);
    assert.is(failure, `${name} of memory is missing; ${near}`);
    assert.is(gets.filter((read) => read === objectName(oldest.object)).length, 1);
    store.objects.set(name, content);
  }
  assert.equal(readdirSync(folder), []);
  rmSync(folder, { recursive: true });
});

test.run();
