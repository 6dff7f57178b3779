// The copy of the short overview: changes by each response, and objects that stay the same.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Instance, readIdleTimes } from "../../console/data/instances.js";
import { countBackEndsDown, parseMatrices } from "../../console/data/matrices.js";
import { numberAt, readPath } from "../../console/data/node-stat.js";
import { SystemMirror } from "../../console/data/system-mirror.js";

const test = suite("console system mirror");

const REST = ["health", "unreachable-since", "changed", "ready", "service-in", "back-ends-down"];
const [WAITING, GOOD, SLOW, FAILING, UNREACHABLE] = [0, 1, 2, 3, 4];
const IDLE = 0;

const fixed = (revision: string) => ({
  ...{ id: "TD", name: "Shop", at: Date.now(), polled: 1, revision },
  columns: { live: ["service-rate"], rest: REST, cells: ["state", "answered"] },
  instances: [
    ["TD", "dispatch", "h", 1, null],
    ["B1", "builder", "h", 3, null],
    ["S1", "search", "h", 5, "B1"],
  ],
  matrices: { TD: [["S1"]] },
});
const good = (replica: number, down: number | null = null) => [
  ...[replica, GOOD, null, IDLE, true, 1, down],
];
const words = (instances: readonly Instance[]) => instances.map(({ state }) => state.word);

function filled(): [SystemMirror, readonly Instance[]] {
  const mirror = new SystemMirror();
  const response = { ...fixed("t-1"), live: [[0, 7]], rest: [good(0, 2), good(1), [2, WAITING]] };
  return [mirror, mirror.apply(response, false)];
}

test("names metrics by their columns, and derives states", () => {
  const [mirror, instances] = filled();
  assert.equal([mirror.id, mirror.name], ["TD", "Shop"]);
  assert.equal(
    instances.map(({ id, type, address, provider }) => [id, type, address, provider]),
    [
      ["TD", "dispatch", "h:1", null],
      ["B1", "builder", "h:3", null],
      ["S1", "search", "h:5", "B1"],
    ],
  );
  assert.equal(words(instances), ["OK", "OK", "Waiting"]);
  assert.is(numberAt(instances[0]!.node, "service-rate"), 7);
  assert.is(countBackEndsDown(instances), 2);
  assert.equal(parseMatrices(instances), [{ id: "TD", partitions: [[{ id: "S1" }]] }]);
});

test("keeps the objects of unchanged rows", () => {
  const [mirror, first] = filled();
  const nothing = { id: "TD", at: Date.now(), polled: 2, revision: "t-1" };
  assert.is(mirror.apply(nothing, false), first);
  const second = mirror.apply({ ...nothing, revision: "t-2", live: [[1, 5]] }, false);
  assert.is.not(second, first);
  assert.is(second[0], first[0]);
  assert.is.not(second[1], first[1]);
  assert.is(mirror.apply({ ...nothing, rest: [good(99)] }, false), second);
});

test("shows instances that are slow, fail, and do not respond", () => {
  const [mirror, first] = filled();
  const since = Date.now() - 60_000;
  const rest = [
    [0, SLOW, ...good(0, 2).slice(2)],
    [1, FAILING],
    [2, UNREACHABLE, since],
  ];
  const changed = mirror.apply({ id: "TD", at: Date.now(), revision: "t-2", rest }, false);
  assert.equal(words(changed), ["Slow", "Slow", "Down"]);
  assert.ok(numberAt(changed[2]!.entry, "unreachable-ms") >= 60_000);
  assert.is(first[2]!.state.word, "Waiting");
});

test("lets ages grow without a response", () => {
  const [mirror] = filled();
  const changed = Date.now() - 40_000;
  const row = [1, GOOD, null, changed, true, 1, null];
  const changedIds = mirror.apply(
    { id: "TD", at: Date.now(), revision: "t-2", rest: [row] },
    false,
  );
  const [[id, ms]] = [...readIdleTimes(changedIds.slice(1))] as [[string, number]];
  assert.is(id, "B1");
  assert.ok(ms >= 40_000 && readPath(changedIds[1]!.node, "idle-ms") !== undefined);
});

test("requests rows since its revision, and cells since it last had them", () => {
  const [mirror] = filled();
  assert.is(mirror.query(false), "form=short&known=t-1");
  assert.is(mirror.query(true), "form=short&known=t-1&cells=0");
  const cells = [[0, 0, 0, "down", 5]];
  const changed = mirror.apply({ id: "TD", at: 0, revision: "t-4", cells }, true);
  const matrix = [{ id: "TD", partitions: [[{ state: "down", answered: 5, id: "S1" }]] }];
  assert.equal(parseMatrices(changed), matrix);
  mirror.apply({ id: "TD", at: 0, revision: "t-5" }, false);
  assert.is(mirror.query(true), "form=short&known=t-5&cells=4");
  mirror.apply(fixed("u-9"), false);
  assert.is(mirror.query(true), "form=short&known=u-9&cells=0");
});

test("reports busy where recent samples saw changes", () => {
  const [mirror] = filled();
  const response = { id: "TD", at: 0, revision: "t-2" };
  const changed = mirror.apply(response, false, (id) => id === "B1");
  assert.equal(words(changed), ["OK", "Busy", "Waiting"]);
});

test("treats a malformed response as an empty system", () => {
  assert.equal(new SystemMirror().apply({ instances: 5 }, true), []);
  assert.equal(new SystemMirror().apply(null, false), []);
  const odd = { ...fixed("t-1"), instances: [5], columns: 5, live: ["x"], rest: [[0, 1]] };
  assert.equal(words(new SystemMirror().apply(odd, true)).length, 1);
});

test.run();
