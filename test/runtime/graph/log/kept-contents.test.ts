// Content of slots that is kept: it is encoded again whenever anything in it has changed, and only
// then.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { installSlots, threadSlots } from "../../../../runtime/base/instance-slots.js";
import type { Graph } from "../../../../runtime/graph/api/graph.js";
import { GraphSlots } from "../../../../runtime/graph/log/slot-content.js";
import { Header } from "../../../../runtime/graph/memory/layout.js";
import { D_OUT, M_FLT, M_FWDONLY, M_INT } from "../../../../runtime/graph/model/constants.js";
import type { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { NameKindCode } from "../../../../runtime/graph/store/names.js";
import { Random } from "../../../property/support/random.js";
import { checkStore } from "../support/check-store.js";
import { loggedStore } from "../support/logged-graph.js";
import { openStore } from "../support/make-graph.js";
import { ALL_SLOTS, SLOT_PLAN } from "../support/slot-plan.js";

const test = suite<{ store: GraphStore; graph: Graph }>("kept contents of slots");

test.before.each((context) => {
  installSlots(SLOT_PLAN);
  context.store = loggedStore();
  context.graph = openStore(context.store);
});
test.after.each(({ store, graph }) => {
  installSlots(null);
  graph.closeAll();
  checkStore(store);
});

function encode(slots: GraphSlots) {
  return slots.encode(ALL_SLOTS, Number.POSITIVE_INFINITY);
}

/** Changes a vertex that it opens. */
function open(graph: Graph, id: string, change: (vertex: ReturnType<Graph["openVertex"]>) => void) {
  if (!graph.hasVertex(id)) return;
  const vertex = graph.openVertex(id);
  try {
    change(vertex);
  } finally {
    vertex.close();
  }
}

const vertexType = (id: string): string => (Number(id.slice(1)) % 2 === 0 ? "even" : "odd");

function changeOnce(graph: Graph, random: Random, n: number): void {
  const [id, otherId] = [random.below(40), random.below(40)].map((number) => `v${number}`) as [
    string,
    string,
  ];
  switch (random.below(14)) {
    case 0:
    case 1:
      if (graph.hasVertex(id)) graph.deleteVertex(id);
      graph.createVertex(id, { type: vertexType(id), properties: { n, text: `${n}` } });
      return;
    case 2:
      if (graph.hasVertex(id)) graph.deleteVertex(id);
      return;
    case 3:
    case 4:
      graph.connect(id, ["next", M_FLT, n], otherId);
      return;
    case 5:
      if (graph.hasVertex(id) && graph.hasVertex(otherId)) graph.disconnect(id, "next", otherId);
      return;
    case 6:
      return open(graph, id, (vertex) => vertex.setProperty("n", n));
    case 7:
      return open(graph, id, (vertex) => vertex.removeProperties());
    case 8:
      return open(graph, id, (vertex) => vertex.setVector([n, 1, 2]));
    case 9:
      return open(graph, id, (vertex) => vertex.setExpiration(2_000_000_000 + n));
    case 10:
      return open(graph, id, (vertex) => vertex.setRank(2, n));
    case 11:
      if (random.below(4) === 0) graph.truncate(vertexType(id));
      return;
    case 12:
      // For a while, there are vertices of every group.
      if (n % 400 < 100 && graph.hasVertex("all")) graph.connect("all", ["has", M_INT, n], id);
      return;
    default:
      if (graph.hasVertex("all")) graph.deleteVertex("all");
      if (n % 400 < 100) graph.createVertex("all", { type: "kind" });
  }
}

test("equals a new encoding after any changes", ({ store, graph }) => {
  const random = new Random(39);
  const keptSlots = new GraphSlots(store, threadSlots()!);
  for (let n = 0; n < 600; n++) {
    changeOnce(graph, random, n);
    const now = encode(new GraphSlots(store, threadSlots()!));
    const encoded = encode(keptSlots);
    const digests = ({ contents }: typeof now) => contents.map(({ digest }) => digest);
    assert.equal(digests(encoded), digests(now), `change ${n}`);
  }
});

test("is kept for slots without changes", ({ store, graph }) => {
  for (let n = 0; n < 100; n++) {
    graph.createVertex(`v${n}`, { type: "thing", properties: { n } });
    graph.connect(`v${n}`, "next", `v${(n + 1) % 100}`);
  }
  const slots = new GraphSlots(store, threadSlots()!);
  const before = encode(slots).contents;
  open(graph, "v7", (vertex) => vertex.setProperty("n", -1));
  const after = encode(slots);
  const changed = ALL_SLOTS.filter((slot) => after.contents[slot] !== before[slot]);
  assert.equal(changed, [threadSlots()!.of("v7")]);
  assert.equal(after.names.map(([, , text]) => text).sort(), ["n", "next", "thing"]);
  // A name that was not used any more gives its code to another one.
  open(graph, "v7", (vertex) => vertex.removeProperty("n"));
  const content = encode(slots).contents[threadSlots()!.of("v7")]!;
  assert.is.not(content, after.contents[content.slot]);
});

test("resolves names whose codes were reused", (context) => {
  const { store, graph } = context;
  const idSlot = (id: string): number => threadSlots()!.of(id);
  const stays = Array.from({ length: 99 }, (_, n) => `v${n}`).find((id) => {
    return idSlot(id) > idSlot("changing");
  })!;
  graph.createVertex(stays, { type: "other" });
  const slots = new GraphSlots(store, threadSlots()!);
  // A graph has fewer codes of types.
  for (let n = 0; n < 600; n++) {
    const type = `t${n}`;
    graph.createVertex("changing", { type });
    // Both are encoded together, with the same names.
    if (n === 300) open(graph, stays, (vertex) => vertex.setRank(2, n));
    const code = store.types.codeOf(type);
    const known = encode(slots).names.filter(
      ([kind, of]) => kind === NameKindCode.Type && of === code,
    );
    assert.equal(
      known.map(([, , text]) => text),
      [type],
    );
    graph.deleteVertex("changing");
  }
  assert.ok(store.memory.header.words[Header.NameReuses]! > 0);
});

test("a vertex with many arcs arrives with all of them", ({ store, graph }) => {
  const target = new GraphSlots(loggedStore(), threadSlots()!);
  const names = ["a", "a", "a", "b", "c"];
  graph.createVertex("hub", { type: "thing" });
  for (let n = 0; n < 700; n++) {
    graph.connect("hub", [names[n % 5]!, M_INT, n], `v${n % 300}`);
    if (n % 50 === 0) graph.connect("hub", ["only", M_INT | M_FWDONLY, n] as never, `f${n}`);
  }
  graph.connect("hub", ["a", M_INT, 1], "hub");
  graph.connect("v1", ["a", M_INT, 1], "hub");
  const { contents, names: known } = encode(new GraphSlots(store, threadSlots()!));
  for (const { words } of contents) target.write(words, known);
  assert.equal(
    encode(target).contents.map(({ digest }) => digest),
    contents.map(({ digest }) => digest),
  );
  const copy = openStore(target.store);
  assert.is(copy.size, graph.size);
  assert.is(copy.arcValue("hub", ["b", D_OUT, M_INT] as never, "v3"), 603);
  // Content that comes twice changes nothing.
  for (const { words } of contents) target.write(words, known);
  assert.is(copy.size, graph.size);
  checkStore(target.store);
  copy.closeAll();
});

test("a vertex lists all arcs to it or none, even in forged content", ({ store, graph }) => {
  const target = new GraphSlots(loggedStore(), threadSlots()!);
  graph.createVertex("v", { type: "thing" });
  graph.connect("v", ["a", M_INT, 1], "w");
  graph.connect("v", ["b", M_INT | M_FWDONLY, 1] as never, "x");
  const slots = new GraphSlots(store, threadSlots()!);
  const { contents, names } = encode(slots);
  const { words } = contents.find(({ arcs }) => arcs > 0)!;
  target.write(words, names);
  const [w, x] = ["w", "x"].map((id) => id.charCodeAt(0));
  const damagedWords = words.map((word) => (word === x ? w! : word));
  assert.throws(
    () => new GraphSlots(loggedStore(), threadSlots()!).write(damagedWords, names),
    /forward/,
  );
});

test.run();
