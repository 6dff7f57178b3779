// Manifests of a backup: the last one, the followers of a full one, and which ones are removed.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { BackupChain } from "../../../../runtime/interconnect/archive/backup-chain.js";
import {
  LATEST,
  type Manifest,
  manifestName,
  objectName,
} from "../../../../runtime/interconnect/archive/manifest.js";
import {
  removeExpired,
  selectRetainedFulls,
} from "../../../../runtime/interconnect/archive/prune-backup.js";
import { describeFailure } from "../support/describe-failure.js";
import { ID, MemoryStore } from "../support/memory-store.js";

const test = suite<{ store: MemoryStore; chain: BackupChain }>("backup chain");
const DAY = 86_400_000;

test.before.each((context) => {
  context.store = new MemoryStore();
  context.chain = new BackupChain(context.store);
});

test("ends at the last manifest, even if latest.json does not name it", async ({
  store,
  chain,
}) => {
  assert.is(await chain.end(), null);
  await store.put("manifests/0000000001.json.new", Buffer.from("rest"));
  assert.is(await chain.end(), null);
  store.objects.clear();
  await store.add({}, {}, {});
  const end = async () => {
    const { manifest, hash, time } = (await chain.end())!;
    assert.is(hash, store.segmentHash(manifest.number));
    return [manifest.number, time];
  };
  assert.equal(await end(), [3, 300_000], "none is named");
  for (const [number, time, expected] of [
    [1, 999_999, [3, 300_000]],
    [3, 999_999, [3, 999_999]],
    [3, 1, [3, 300_000]],
  ] as const) {
    await store.name(number, time);
    assert.equal(await end(), expected);
  }
  await store.put(LATEST, Buffer.from("{}"));
  assert.equal([await chain.latest(), await end()], [null, [3, 300_000]]);
  await store.name(4, 1);
  const fix = `copy it back, or delete ${LATEST} to continue after ${manifestName(3)}`;
  const missing = `${manifestName(4)} of memory is missing, but ${LATEST} names it: ${fix}`;
  assert.is(await describeFailure(chain.end()), `SVC3420: ${missing}`);
  await store.name(2, 1);
  await store.remove(manifestName(2));
  const amid = `${manifestName(2)} of memory is missing, but ${LATEST} names it: copy it back`;
  assert.is(await describeFailure(chain.end()), `SVC3420: ${amid}`);
  for (const number of [1, 3]) await store.remove(manifestName(number));
  assert.is(await chain.end(), null, "a name without manifests");
});

test("a corrupt last manifest names the one before, if there is one", async ({ store, chain }) => {
  await store.add({}, {}, {});
  const [second, last] = [manifestName(2), manifestName(3)];
  await store.put(last, Buffer.from("{"));
  const fix = `copy it back, or move it and ${LATEST} away to continue after ${second}`;
  assert.is(await describeFailure(chain.end()), `SVC3420: ${last} is corrupt: ${fix}`);
  await store.name(2, 1);
  assert.is(await describeFailure(chain.end()), `SVC3420: ${last} is corrupt: ${fix}`);
  await store.remove(last);
  assert.is((await chain.end())!.manifest.number, 2);
  await store.put(last, Buffer.from("{"));
  await store.name(3, 1);
  await store.remove(second);
  assert.is(await describeFailure(chain.end()), `SVC3420: ${last} is corrupt`);
});

test("a manifest that was replaced is not taken for another", async ({ store, chain }) => {
  await store.add({});
  const hash = store.segmentHash(1);
  assert.is((await chain.require(1)).hash, hash);
  assert.is((await chain.require(1, hash)).manifest.number, 1);
  const replaced = `SVC3420: ${manifestName(1)} of memory was replaced`;
  assert.is(await describeFailure(chain.require(1, "f".repeat(64))), replaced);
});

test("yields the manifests after a full backup up to the first gap", async ({ store, chain }) => {
  await store.add({}, {}, { full: 3, continues: false }, { full: 3 });
  const numbers = async (full: number, hash?: string): Promise<number[]> => {
    const times: number[] = [];
    for await (const { manifest } of chain.since((await chain.end())!, full, hash))
      times.push(manifest.number);
    return times;
  };
  assert.equal([await numbers(1), await numbers(3), await numbers(4)], [[1, 2], [3, 4], [4]]);
  assert.equal(await numbers(3, store.segmentHash(3)), [3, 4]);
  assert.match(await describeFailure(numbers(3, store.segmentHash(1))), /was replaced$/);
  await store.add({ number: 4, full: 3, previous: store.segmentHash(1) });
  const warning = `SVC3420: ${manifestName(4)} of memory follows another manifest`;
  assert.is(await describeFailure(numbers(3)), warning);
});

test("keeps the full backups that a period needs", () => {
  const log = { id: ID, sn: 1, chain: 1, at: 1 };
  const fulls = [10, 20, 30].map((time, index) => ({ number: index + 1, hash: "", log, time }));
  const keptAt = (time: number): number[] =>
    selectRetainedFulls(fulls, time, 10).map(({ number }) => number);
  assert.equal([19, 20, 29, 30, 1000].map(keptAt), [
    [1, 2, 3],
    [1, 2, 3],
    [1, 2, 3],
    [2, 3],
    // The clock was set forward.
    [2, 3],
  ]);
  assert.equal(selectRetainedFulls([], 1, 1), []);
});

test("removes the first full backup once none of its moments is kept", async ({ store }) => {
  const [first, two] = (await store.add({}, { full: 2 })) as [Manifest, Manifest];
  await removeExpired(store, two, first, DAY);
  assert.equal([...store.objects.keys()], [manifestName(2)]);
});

test("removes previous manifests, and old objects that none names", async ({ store }) => {
  const object = (digit: string) => digit.repeat(64);
  const piece = (digit: string) => ({
    path: "g/graph.snapshot",
    at: 0,
    bytes: 1,
    object: object(digit),
  });
  const log = { id: ID, sn: 1, chain: 1, at: 1 };
  const full = (number: number) => ({ number, hash: object("0"), log, time: 1 });
  const [first, , three, , five] = (await store.add(
    { pieces: [piece("1")] },
    { pieces: [piece("2")] },
    { full: 3, pieces: [piece("3")], fulls: [full(1)] },
    { full: 3, pieces: [piece("4")] },
    { full: 5, pieces: [piece("5")], fulls: [full(3)] },
  )) as [Manifest, Manifest, Manifest, Manifest, Manifest];
  const now = 10 * DAY;
  for (const [digit, modifiedAt] of [
    ...["1", "3", "4", "5", "6"].map((each) => [each, now - DAY - 1] as const),
    ["2", now - DAY],
  ] as const) {
    await store.put(objectName(object(digit)), Buffer.from(digit));
    store.objects.get(objectName(object(digit)))!.modifiedAt = modifiedAt;
  }
  const left = (): string =>
    [...store.objects.values()].map(({ bytes }) => bytes.toString()[0]).join("");
  const allNames = left();
  await removeExpired(store, three, first, now);
  await removeExpired(store, first, null, now);
  await removeExpired(store, five, { ...three, fulls: [full(3)] }, now);
  assert.is(left(), allNames, "the first full backup is still needed");
  await removeExpired(store, five, three, now);
  const names = [...store.objects.keys()].sort();
  assert.equal(names, [
    ...[3, 4, 5].map(manifestName),
    ...["2", "3", "4", "5"].map((digit) => objectName(object(digit))),
  ]);
});

test.run();
