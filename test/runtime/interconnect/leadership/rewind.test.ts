// A former leader with changes that the next leader lacks: it rewinds, and follows by the log. A
// death at any step of that leaves either its previous contents or the rewound ones.
// limit: 120 s

import fs, { cpSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readState, writeState } from "../../../../runtime/base/state-file.js";
import { rewind } from "../../../../runtime/interconnect/leadership/rewind.js";
import { setAside } from "../../../../runtime/interconnect/leadership/set-aside.js";
import { readLineage } from "../../../../runtime/interconnect/lineage.js";
import { realDisk } from "../../../../runtime/interconnect/log/disk.js";
import { SEGMENT_HEADER_BYTES } from "../../../../runtime/interconnect/log/segment-format.js";
import { readLog } from "../../../../runtime/interconnect/log/segments.js";
import type { Ancestor } from "../../../../runtime/interconnect/wire/positions.js";
import { FOLDER } from "../../../property/support/interconnect/virtual-files.js";
import { VirtualWorld } from "../../../property/support/interconnect/virtual-world.js";
import { Random } from "../../../property/support/random.js";
import { openStore } from "../../graph/support/make-graph.js";
import { dieAt } from "../support/death-at-step.js";
import { freePort, type Instance, same, until } from "../support/instance.js";
import { begin, end, type InstancesContext, withInstances } from "../support/instances.js";
import { MemoryEngine } from "../support/memory-engine.js";

const TTL_MS = 500;
/** Vertices that both have. */
const COUNT = 300;
const MARKER = "_ahead.json";
const TEXT = "x".repeat(200);
/** Stored in a file of its own. */
const LARGE = "y".repeat(20_000);

const test = suite<InstancesContext>("a former leader that is ahead");
withInstances(test);

/** A leader B1 with changes that the next leader S1 lacks; each has saved its graph four times. */
async function becomeAhead(context: InstancesContext) {
  const engine = new MemoryEngine();
  const ports = { B1: await freePort(), S1: await freePort() };
  const start = (id: "B1" | "S1"): Promise<Instance> => {
    const peer = id === "B1" ? "S1" : "B1";
    const members = { [peer]: `127.0.0.1:${ports[peer]}` };
    const rules = { ttl: TTL_MS, minSynced: 1, whenAlone: "refuse" as const };
    return begin(context, id, {
      ...{ txPort: ports[id], durability: "full", openEngine: () => engine.open(id) },
      leadership: { engine: "memory:", ...rules, group: "B1", id, members },
    });
  };
  const before = await begin(context, "B1", { durability: "off" });
  before.graph().createVertex("before the log");
  openStore(before.store("quiet")).createVertex("never changed since");
  await before.save();
  await end(before);
  const first = await start("B1");
  first.store("quiet");
  const next = await start("S1");
  const log = (): string => `${first.log}\n---\n${next.log}`;
  await until(() => engine.record?.synced.length === 2, log);
  await until(() => first.clock.group.role === "leading", log);
  const graph = first.graph();
  for (let n = 0; n < COUNT; n++) {
    graph.createVertex(`a${n}`, { properties: { text: TEXT } });
    if (n % 100 === 0) await first.save();
  }
  openStore(first.store("own", true)).createVertex("mine");
  graph.createVertex("large", { properties: { "*text": LARGE } });
  await first.save();
  graph.createVertex("last");
  assert.ok(await first.isConfirmed());
  await next.control({ do: "suspend", what: "input" });
  for (let n = 0; n < 10; n++) graph.createVertex(`lost${n}`);
  await first.isFlushed();
  await first.save();
  engine.unreachableFor.add("B1");
  await until(() => next.clock.group.role !== "following", log);
  engine.unreachableFor.clear();
  await until(() => /SVC3404/.test(first.log), log);
  assert.is(first.shown.replica.state, "rewinding");
  await end(first);
  return { root: join(context.folder, "B1"), start, next, engine };
}

/** Contents of a folder by path, without the ids of logs and of the member: they are new. */
function readFolder(folder: string): Map<string, string> {
  const contents = new Map<string, string>();
  const walk = (inside: string): void => {
    for (const entry of readdirSync(inside, { withFileTypes: true })) {
      const path = join(inside, entry.name);
      if (entry.isDirectory()) walk(path);
      else {
        const from = entry.name.endsWith(".seg") ? SEGMENT_HEADER_BYTES : 0;
        const content = readFileSync(path).subarray(from);
        const isMember = entry.name === "_member.json";
        const shown = isMember ? `${readState(path)!.epoch}` : content.toString("base64");
        contents.set(relative(folder, path), shown);
      }
    }
  };
  walk(folder);
  return contents;
}

function withoutLost(folder: string): [string, string][] {
  return [...readFolder(folder)].filter(([path]) => !path.startsWith(".lost")).sort();
}

test("discards its changes, and follows without copies of graphs", async (context) => {
  const { root, start, next, engine } = await becomeAhead(context);
  const { end: position } = readState(join(root, MARKER)) as unknown as { end: Ancestor };
  const previousState = readState(join(root, "_member.json"))!;
  const { folder, line } = setAside(root)!;
  const member = readState(join(root, "_member.json"))!;
  assert.is.not(
    member.incarnation,
    previousState.incarnation,
    "it may not lead before it has followed",
  );
  assert.equal(readLineage(root), readLineage(folder));
  assert.is(member.epoch, previousState.epoch, "and it founds no group");
  assert.match(line, new RegExp(`rewound to transaction ${position.sn}$`));
  const units: number[] = [];
  readLog(realDisk, join(folder, "_txlog"), ({ header }) => {
    if (!header.isTable) units.push(header.sn + header.transactions - 1);
  });
  assert.ok(units.at(-1)! >= position.sn + 10, "what is given up can be read");
  const rewound = await start("B1");
  await same(next, rewound);
  await until(
    () => engine.record?.synced.length === 2 && rewound.readiness.includes(null),
    () => rewound.log,
  );
  const fetched = rewound.readiness.filter((reason) =>
    /fetching snapshots [1-9]/.test(reason ?? ""),
  );
  assert.equal(fetched, []);
  assert.ok(rewound.shown.in.bytes < COUNT * TEXT.length, `${rewound.shown.in.bytes} bytes`);
  assert.is(rewound.graph().getVertex("large").getProperty("text"), LARGE);
  assert.is(rewound.store("own", true).operationCount, 1, "a graph that is not replicated");
  assert.is(rewound.store("quiet").operationCount, 1, "a graph that the log does not change");
  next.graph().createVertex("later");
  assert.ok(await next.isConfirmed());
  await same(next, rewound);
});

/** Copies a folder to the simulated disk, durably. */
function copyToDisk(files: ReadonlyMap<string, Buffer>, root: string): void {
  const folders = new Set<string>();
  for (const [path, bytes] of files) {
    const file = join(root, path);
    fs.mkdirSync(dirname(file), { recursive: true });
    fs.writeFileSync(file, bytes, { flush: true });
    for (let folder = dirname(file); folder.length >= root.length; folder = dirname(folder))
      folders.add(folder);
  }
  for (const folder of folders) fs.fsyncSync(fs.openSync(folder, "r"));
}

test("has its previous contents or the rewound ones, at any step", async (context) => {
  const { root } = await becomeAhead(context);
  const files = new Map<string, Buffer>();
  for (const path of readFolder(root).keys()) {
    if (!path.includes("reserve")) files.set(path, readFileSync(join(root, path)));
  }
  const copy = join(context.folder, "copy");
  cpSync(root, copy, { recursive: true });
  setAside(copy);
  const expected = withoutLost(copy).filter(([path]) => !path.includes("reserve"));
  const random = new Random(1);
  const world = new VirtualWorld(random);
  world.install();
  try {
    const folder = `${FOLDER}/B1`;
    for (let step = 0, isDead = true; isDead; step++) {
      const disk = world.files.mount("B1");
      copyToDisk(files, folder);
      isDead = await dieAt(
        step,
        () => world.files.away.add("B1"),
        () => void setAside(folder),
      );
      world.files.away.clear();
      disk.losePower(random);
      // Without its marker, a server would use the contents.
      const isOver = !fs.existsSync(join(folder, MARKER));
      if (!isOver) setAside(folder);
      assert.equal(withoutLost(folder), expected, `step ${step}`);
    }
  } finally {
    world.uninstall();
  }
});

test("starts empty if its snapshots and log do not reach the position", async (context) => {
  const { root } = await becomeAhead(context);
  const { end: position } = readState(join(root, MARKER)) as unknown as { end: Ancestor };
  const { counts, ...point } = position;
  const sorted = Object.entries(counts!).sort((a, b) => a[1] - b[1]);
  const [[quiet], [identity, count]] = sorted as [[string, number], [string, number]];
  const target = join(context.folder, "target");
  const isRewound = (to: Ancestor): boolean => {
    rmSync(target, { recursive: true, force: true });
    fs.mkdirSync(target);
    return rewind(root, target, to);
  };
  assert.ok(isRewound(position));
  assert.not.ok(isRewound(point), "what the next leader had is not known");
  assert.not.ok(isRewound({ ...position, id: "0".repeat(32) }), "of another log");
  assert.not.ok(isRewound({ ...position, counts: { [identity]: count - 1 } }), "beyond the place");
  assert.not.ok(isRewound({ ...position, counts: {} }), "a graph that the next leader lacks");
  const more = { ...position, counts: { ...counts, [quiet]: 2 } };
  assert.not.ok(isRewound(more), "of a graph that was saved before, and is not in the log");
  assert.not.ok(isRewound({ ...position, sn: 0 }), "nothing");
  assert.not.ok(isRewound({ ...position, chain: 0 }), "of other transactions");
  const delta = "graph.snapshot.delta";
  for (const [name, isTaken] of [
    ["graph.snapshot", false],
    ["graph.snapshot.old", true],
  ] as const) {
    cpSync(join(root, "g", name), join(root, "g", delta));
    assert.ok(isRewound(position));
    assert.is(fs.existsSync(join(target, "g", delta)), isTaken, `changes of ${name}`);
  }
  const snapshots = ["graph.snapshot", "graph.snapshot.old"].map((name) => join(root, "g", name));
  for (const file of snapshots) rmSync(file);
  assert.not.ok(isRewound(position), "the log begins later");
  for (const file of snapshots) cpSync(join(root, "own", "graph.snapshot"), file);
  assert.not.ok(isRewound(position), "of a graph that was erased");
  assert.match(setAside(root)!.line, /; the leader sends its graphs: its snapshots and log do not/);
  assert.equal(
    withoutLost(root).map(([path]) => path),
    ["_member.json"],
  );
});

test("rewinds again after any interrupted start", async (context) => {
  const { root } = await becomeAhead(context);
  const request = readState(join(root, MARKER))!;
  setAside(root);
  // A lost power can leave any entries of a folder.
  for (const name of ["graph.snapshot", "graph.snapshot.old"]) {
    rmSync(join(root, "g", name), { force: true });
  }
  writeState(join(root, MARKER), { ...request, isMoved: true });
  assert.match(setAside(root)!.line, /rewound to transaction/);
});

test.run();
