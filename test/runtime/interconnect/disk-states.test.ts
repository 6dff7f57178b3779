// A disk of the transaction log with little space, that is full, or that fails: graphs refuse
// changes, and accept them again once the log can be written.
// limit: 60 s
// takes 5 s

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { CommitClock } from "../../../runtime/graph/memory/commit-clock.js";
import { LogPieces } from "../../../runtime/interconnect/archive/log-pieces.js";
import { type Disk, realDisk } from "../../../runtime/interconnect/log/disk.js";
import { comparable } from "../../property/support/comparable.js";
import { openStore } from "../graph/support/make-graph.js";
import { changedDisk } from "./support/changed-disk.js";
import {
  begin,
  isFlushed,
  keep,
  type LoggedFolder,
  makeFolder,
  removeFolder,
  until,
} from "./support/logged-folder.js";

const test = suite<LoggedFolder>("disk states");
test.before.each(makeFolder);
test.after.each(removeFolder);

type Operation = "read" | "write" | "flush" | "truncate";

/** A disk whose files fail in the operations for which `fails` returns true. */
function failingDisk(fails: (operation: Operation) => boolean): Disk {
  const check = (operation: Operation): void => {
    if (fails(operation)) throw Object.assign(new Error("EIO: i/o error"), { code: "EIO" });
  };
  return changedDisk((file) => ({
    read: (into, position) => {
      check("read");
      return file.read(into, position);
    },
    write: (bytes, position) => {
      check("write");
      file.write(bytes, position);
    },
    flush: async () => {
      check("flush");
      await file.flush();
    },
    flushNow: () => {
      check("flush");
      file.flushNow();
    },
    truncate: (bytes) => {
      check("truncate");
      file.truncate(bytes);
    },
  }));
}

const listSegments = ({ root }: LoggedFolder): string[] =>
  readdirSync(join(root, "_txlog")).filter((name) => name.endsWith(".seg"));

for (const operation of ["write", "flush"] as const) {
  test(`continues in a new segment after a failed ${operation}`, async (context) => {
    let isFailing = false;
    // The previous segment keeps its undurable end.
    const done = new Set<Operation>();
    const fails = (now: Operation): boolean => {
      done.add(now);
      return (isFailing && now === operation) || now === "truncate";
    };
    const { interconnect, clock } = begin(context, failingDisk(fails));
    const store = keep(context, interconnect);
    openStore(store).createVertex("a");
    assert.ok(await isFlushed(clock));
    isFailing = true;
    openStore(store).createVertex("b");
    assert.not.ok(await isFlushed(clock));
    assert.ok(clock.hasFailed);
    assert.throws(
      () => openStore(store).createVertex("c"),
      (error: Error & { code?: string }) =>
        error.code === "SVC2505" && /^Graph is readonly: the .* has failed$/.test(error.message),
    );
    assert.ok(openStore(store).hasVertex("b"));
    done.clear();
    isFailing = false;
    await until(() => !clock.refusesChanges);
    assert.ok(done.has("read"));
    assert.is(listSegments(context).length, 2);
    openStore(store).createVertex("c");
    assert.ok(await isFlushed(clock));
    assert.equal(
      context.lines.map((line) => line.split(": EIO")[0]),
      [
        "SVC2501: transaction log failed, all graphs are read-only",
        "log: continues in a new segment, graphs accept changes",
      ],
    );
    const pieces = [...new LogPieces(realDisk, context.root).read(null, clock.durableSn(0))];
    assert.is(pieces.at(-1)!.tail.sn, clock.durableSn(0));
    assert.equal(comparable(keep(context, begin(context).interconnect)), comparable(store));
  });
}

test("continues by itself once a file system is writable again", async (context) => {
  let isReadonly = false;
  let attempts = 0;
  const refuse = (): void => {
    if (!isReadonly) return;
    attempts++;
    throw Object.assign(new Error("EROFS: read-only file system"), { code: "EROFS" });
  };
  const disk = changedDisk((file) => ({
    write: (bytes, position) => {
      refuse();
      file.write(bytes, position);
    },
    truncate: (bytes) => {
      refuse();
      file.truncate(bytes);
    },
  }));
  const { interconnect, clock } = begin(context, {
    ...disk,
    create: (path) => {
      refuse();
      return disk.create(path);
    },
    open: (path, mode) => {
      if (mode === "write") refuse();
      return disk.open(path, mode);
    },
  });
  const store = keep(context, interconnect);
  openStore(store).createVertex("a");
  assert.ok(await isFlushed(clock));
  isReadonly = true;
  openStore(store).createVertex("b");
  assert.not.ok(await isFlushed(clock));
  // More attempts than a disk gets that fails again and again.
  await until(() => attempts > 3);
  assert.ok(clock.hasFailed);
  assert.ok(openStore(store).hasVertex("b"));
  isReadonly = false;
  await until(() => !clock.refusesChanges);
  openStore(store).createVertex("c");
  assert.ok(await isFlushed(clock));
  assert.equal(comparable(keep(context, begin(context).interconnect)), comparable(store));
});

test("stops retrying after the third failure of a disk", async (context) => {
  let isFailing = false;
  const { interconnect, clock } = begin(
    context,
    failingDisk(() => isFailing),
  );
  const store = keep(context, interconnect);
  for (const round of [1, 2, 3]) {
    openStore(store).createVertex(`before ${round}`);
    assert.ok(await isFlushed(clock));
    isFailing = true;
    openStore(store).createVertex(`lost ${round}`);
    assert.not.ok(await isFlushed(clock));
    isFailing = false;
    if (round < 3) await until(() => !clock.refusesChanges);
  }
  assert.match(context.lines.at(-1)!, /^SVC2501: .* read-only until the restart: EIO/);
  // Otherwise what waits would be written now.
  await interconnect.closeLog();
  context.running.pop();
  assert.ok(clock.hasFailed);
  const reopenedGraph = openStore(keep(context, begin(context).interconnect));
  assert.ok(reopenedGraph.hasVertex("before 3"));
});

test("a thread that takes over a failed log does not modify it", async (context) => {
  const clock = new CommitClock();
  clock.fail();
  const { interconnect } = begin(context, realDisk, clock);
  const store = keep(context, interconnect);
  assert.ok(store.isReadonly);
  await interconnect.closeLog();
  assert.ok(clock.hasFailed);
});

test("keeps one snapshot and less of the log while little space is left", async (context) => {
  let free = 2 ** 29;
  const { interconnect, clock } = begin(context, { ...realDisk, freeBytes: () => free });
  const graph = openStore(keep(context, interconnect));
  const files = (): string[] => readdirSync(join(context.root, "g")).sort();
  const change = async (id: string): Promise<void> => {
    graph.createVertex(id);
    await isFlushed(clock);
    await interconnect.save(0);
  };
  await change("a");
  await change("b");
  assert.is(clock.isLow, false);
  assert.equal(files(), ["graph.snapshot", "graph.snapshot.old"]);
  free--;
  await change("c");
  assert.is(clock.isLow, true);
  assert.equal(files(), ["graph.snapshot"]);
  assert.match(context.lines.join("\n"), /^log: 511 MiB of disk space are left/m);
  assert.is(context.lines.length, 1);
  // A graph that has not changed is not saved again, but gives space back, too.
  free = 2 ** 29;
  await change("d");
  assert.equal(files(), ["graph.snapshot", "graph.snapshot.old"]);
  assert.is(clock.isLow, false);
  free--;
  await interconnect.save(0);
  assert.equal(files(), ["graph.snapshot"]);
});

/** A disk without space while `isFull()`, which may write a part before it fails. */
function limitedDisk(isFull: () => boolean): Disk {
  return changedDisk((file) => ({
    write: (bytes, position) => {
      if (!isFull()) return file.write(bytes, position);
      file.write(bytes.subarray(0, bytes.length / 2), position);
      throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
    },
  }));
}

test("refuses changes while the disk is full, and continues by itself", async (context) => {
  let isFull = false;
  const { interconnect, clock } = begin(
    context,
    limitedDisk(() => isFull),
  );
  const store = keep(context, interconnect);
  openStore(store).createVertex("a");
  assert.ok(await isFlushed(clock));
  isFull = true;
  openStore(store).createVertex("b");
  const waiting = isFlushed(clock);
  await until(() => clock.isFull);
  assert.throws(
    () => openStore(store).createVertex("c"),
    (error: Error & { code?: string }) =>
      error.code === "SVC2505" && /^Graph is readonly: the disk .* is full$/.test(error.message),
  );
  assert.ok(openStore(store).hasVertex("b"));
  assert.is(clock.hasFailed, false);
  isFull = false;
  assert.ok(await waiting);
  await until(() => !clock.isFull);
  openStore(store).createVertex("c");
  assert.ok(await isFlushed(clock));
  assert.equal(
    context.lines.map((line) => line.split(":").slice(0, 2).join(":")),
    [
      "SVC2505: disk of the transaction log is full, all graphs are read-only",
      "log: disk has space again, graphs accept changes",
    ],
  );
  const reopenedGraph = openStore(keep(context, begin(context).interconnect));
  assert.equal(
    ["a", "b", "c"].map((id) => reopenedGraph.hasVertex(id)),
    [true, true, true],
  );
});

test("writes committed changes into the space that the log has in reserve", async (context) => {
  const reserve = join(context.root, "_txlog", "reserve");
  // The disk has no space except for what the reserve gives back.
  let isFull = false;
  const { interconnect, clock } = begin(
    context,
    limitedDisk(() => isFull && existsSync(reserve)),
  );
  const store = keep(context, interconnect);
  openStore(store).createVertex("a");
  assert.ok(await isFlushed(clock));
  await until(() => existsSync(reserve));
  isFull = true;
  openStore(store).createVertex("b");
  assert.ok(await isFlushed(clock));
});

test("does not try to reserve space with every flush", async (context) => {
  let attempts = 0;
  const create: Disk["create"] = (path) => {
    if (!path.endsWith("reserve")) return realDisk.create(path);
    attempts++;
    throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
  };
  const { interconnect, clock } = begin(context, { ...realDisk, create });
  const store = keep(context, interconnect);
  for (let index = 0; index < 20; index++) {
    openStore(store).createVertex(`v${index}`);
    assert.ok(await isFlushed(clock));
  }
  assert.is(attempts, 1);
});

test("ends while the disk is full", async (context) => {
  let isFull = false;
  const { interconnect, clock } = begin(
    context,
    limitedDisk(() => isFull),
  );
  const store = keep(context, interconnect);
  openStore(store).createVertex("a");
  assert.ok(await isFlushed(clock));
  isFull = true;
  openStore(store).createVertex("b");
  await until(() => clock.isFull);
  await interconnect.closeLog();
  context.running.pop();
  isFull = false;
  const reopenedGraph = openStore(keep(context, begin(context).interconnect));
  assert.equal([reopenedGraph.hasVertex("a"), reopenedGraph.hasVertex("b")], [true, false]);
});

test.run();
