// Paths of several arcs against naive models on random graphs. ROUNDS=n for more graphs, SEED=n to
// repeat a run.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Graph } from "../../runtime/graph/api/graph.js";
import {
  D_ANY,
  D_BOTH,
  D_IN,
  D_OUT,
  M_FLT,
  M_FWDONLY,
} from "../../runtime/graph/model/constants.js";
import { makeGraph } from "../runtime/graph/support/make-graph.js";
import { rounds } from "../support/rounds.js";
import { Random, SEED } from "./support/random.js";

const test = suite(`paths of graphs (seed ${SEED})`);
const ROUNDS = rounds(25);
const QUERIES = 25;
const TYPES = ["red", "blue", "green"];
const DIRECTIONS = [D_OUT, D_IN, D_ANY, D_BOTH] as const;

interface Arc {
  readonly from: string;
  readonly to: string;
  readonly weight: number;
}

interface Subject {
  readonly graph: Graph;
  readonly ids: string[];
  readonly types: ReadonlyMap<string, string>;
  readonly arcs: Arc[];
}

type Accepts = (id: string) => boolean;

/** @param isForwardOnly true if the arcs to every fourth vertex are listed at their initial only */
function randomSubject(random: Random, maxVertices: number, isForwardOnly = false): Subject {
  const graph = makeGraph();
  const ids = Array.from({ length: 2 + random.below(maxVertices) }, (_, index) => `v${index}`);
  const types = new Map(ids.map((id) => [id, random.of(TYPES)]));
  for (const id of ids) graph.createVertex(id, types.get(id)!);
  const arcs = new Map<string, Arc>();
  for (let remaining = random.below(ids.length * 3); remaining > 0; remaining--) {
    const [from, to, weight] = [random.of(ids), random.of(ids), random.below(6) / 2];
    const forward = isForwardOnly && Number(to.slice(1)) % 4 === 0 ? M_FWDONLY : 0;
    graph.connect(from, ["to", (M_FLT | forward) as typeof M_FLT, weight], to);
    arcs.set(`${from} ${to}`, { from, to, weight });
    if (!isForwardOnly) graph.connect(random.of(ids), "other", random.of(ids));
  }
  return { graph, ids, types, arcs: [...arcs.values()] };
}

function listHeads({ arcs }: Subject, id: string, direction: number): string[] {
  const out = arcs.filter(({ from }) => from === id).map(({ to }) => to);
  const into = arcs.filter(({ to }) => to === id).map(({ from }) => from);
  if (direction === D_OUT) return out;
  if (direction === D_IN) return into;
  if (direction === D_ANY) return [...out, ...into];
  return out.filter((head) => into.includes(head));
}

/**
 * Returns the number of arcs to each vertex; the start is reached by an arc back to it that ends a
 * long enough path.
 */
function naiveLengths(
  subject: Subject,
  start: string,
  direction: number,
  passes: Accepts,
  min: number,
): Map<string, number> {
  const lengths = new Map<string, number>();
  let frontier = [start];
  for (let length = 1; frontier.length > 0; length++) {
    const next: string[] = [];
    for (const tail of frontier) {
      for (const head of listHeads(subject, tail, direction)) {
        if (lengths.has(head) || (head === start && length < min)) continue;
        lengths.set(head, length);
        if (head !== start && passes(head)) next.push(head);
      }
    }
    frontier = next;
  }
  return lengths;
}

/** A random rule of several arcs, and the lengths of the paths that it must find. */
function randomRule(random: Random, subject: Subject, start: string) {
  const min = 1 + random.below(3);
  const max = random.below(3) === 0 ? null : min + random.below(4);
  const condition = () => (random.below(2) === 0 ? null : { type: random.of(TYPES) });
  const rule = {
    arc: ["to", random.of(DIRECTIONS)] as const,
    repeat: [min, max] as const,
    neighbor: condition(),
    through: condition(),
  };
  const { types } = subject;
  const accepts = (filter: { type: string } | null): Accepts => {
    return (id) => filter === null || types.get(id) === filter.type;
  };
  const lengths = naiveLengths(subject, start, rule.arc[1], accepts(rule.through), min);
  const ends = [...lengths]
    .filter(([, length]) => length >= min && length <= (max ?? length))
    .filter(([id]) => accepts(rule.neighbor)(id));
  return { rule, ends: ends.sort(byId), passes: accepts(rule.through) };
}

function byId([a]: readonly [string, number], [b]: readonly [string, number]): number {
  return a < b ? -1 : 1;
}

test("repeat reaches each vertex once, by the fewest arcs", () => {
  const random = new Random();
  for (let round = 0; round < ROUNDS; round++) {
    const subject = randomSubject(random, 20);
    const { graph } = subject;
    for (let query = 0; query < QUERIES; query++) {
      const start = random.of(subject.ids);
      const { rule, ends } = randomRule(random, subject, start);
      const message = `${start} ${JSON.stringify(rule)}, SEED=${SEED}, round ${round}`;
      const options = { ...rule, fields: ["id", "value"], result: "dict", counts: true } as const;
      const result = graph.neighborhood(start, options) as unknown as {
        neighborhood: { id: string; distance: number }[];
        counts: { neighbors: number; arcs: number };
      };
      const entries = result.neighborhood.map(({ id, distance }) => [id, distance] as const);
      assert.equal(entries.sort(byId), ends, message);
      assert.equal(result.counts, { neighbors: ends.length, arcs: ends.length }, message);
      assert.is(graph.newNeighborhoodQuery(start, rule).count(), ends.length, message);
      const { arc, neighbor, ...others } = rule;
      assert.is(graph.adjacent(start, arc, neighbor, others), ends.length > 0, message);
    }
  }
});

test("whole paths lead to the same ends", () => {
  const random = new Random(SEED + 2);
  for (let round = 0; round < ROUNDS; round++) {
    const subject = randomSubject(random, 20);
    for (let query = 0; query < QUERIES; query++) {
      const start = random.of(subject.ids);
      const { rule, ends, passes } = randomRule(random, subject, start);
      if (rule.arc[1] === D_BOTH) continue;
      const message = `${start} ${JSON.stringify(rule)}, SEED=${SEED}, round ${round}`;
      const paths = subject.graph.paths(start, rule);
      const lengths = paths.map((path) => [path.at(-1)!, path.length - 1] as const);
      assert.equal(lengths.sort(byId), ends, message);
      for (const path of paths) {
        assert.is(path[0], start, message);
        assert.ok(path.slice(1, -1).every(passes), message);
        path.slice(1).forEach((id, index) => {
          assert.ok(listHeads(subject, path[index]!, rule.arc[1]).includes(id), message);
        });
      }
    }
  }
});

test("conditions with repeat match vertices", () => {
  const random = new Random(SEED + 3);
  for (let round = 0; round < ROUNDS; round++) {
    const subject = randomSubject(random, 20);
    const { graph, ids, types } = subject;
    const rule = { arc: ["to", D_OUT], repeat: [2, 3], neighbor: { type: "red" } };
    const matching = ids.filter((id) =>
      [...naiveLengths(subject, id, D_OUT, () => true, 2)].some(
        ([end, length]) => length >= 2 && length <= 3 && types.get(end) === "red",
      ),
    );
    for (const kind of ["traverse", "adjacent"]) {
      const condition = { [kind]: rule } as object;
      assert.equal(graph.vertices({ condition }).sort(), matching.sort(), kind);
    }
  }
});

/** Returns all paths without repeated vertices, which end at the first goal, with their costs. */
function naivePaths(
  { arcs }: Subject,
  start: string,
  goals: readonly string[],
  passes: Accepts,
  weigh: (arc: Arc) => number,
): { path: string[]; cost: number }[] {
  const routes: { path: string[]; cost: number }[] = [];
  const follow = (path: string[], cost: number): void => {
    const last = path.at(-1)!;
    if (goals.includes(last)) {
      routes.push({ path, cost });
      return;
    }
    if (path.length > 1 && !passes(last)) return;
    for (const arc of arcs) {
      if (arc.from !== last || path.includes(arc.to)) continue;
      follow([...path, arc.to], cost + weigh(arc));
    }
  };
  follow([start], 0);
  return routes.sort((a, b) => a.cost - b.cost);
}

/** Weighs arcs by their values and both ends. */
const BY_ENDS = "next.arc.value + (vertex.type == 'red') + 2 * (next.type == 'blue')";

function weigherFor({ types }: Subject, weighted: boolean | string): (arc: Arc) => number {
  if (weighted === false) return () => 1;
  if (weighted === true) return ({ weight }) => weight;
  const is = (id: string, type: string): number => (types.get(id) === type ? 1 : 0);
  return ({ from, to, weight }) => weight + is(from, "red") + 2 * is(to, "blue");
}

test("shortest paths obey depth, conditions and goals", () => {
  const random = new Random(SEED + 1);
  for (let round = 0; round < ROUNDS; round++) {
    const subject = randomSubject(random, 7, round % 3 === 0);
    const { graph, ids, types } = subject;
    for (let query = 0; query < QUERIES; query++) {
      const start = random.of(ids);
      const goals = [...new Set(random.list(2, () => random.of(ids)))];
      if (goals.length === 0) goals.push(random.of(ids));
      const weighted = random.of([false, true, BY_ENDS]);
      const way = random.below(2) === 0 ? null : random.of(TYPES);
      const maxDepth = random.below(2) === 0 ? undefined : random.below(5);
      const expectedPaths = naivePaths(
        ...([subject, start, goals] as const),
        (id) => way === null || types.get(id) === way,
        weigherFor(subject, weighted),
      ).filter(({ path }) => maxDepth === undefined || path.length - 1 <= maxDepth);
      const options = {
        ...{ arc: "to", weighted, through: way === null ? null : { type: way } },
        ...(maxDepth !== undefined && { maxDepth }),
      };
      const text = `${start} to ${goals.join()} ${JSON.stringify(options)}`;
      const message = `${text}, SEED=${SEED}, round ${round}`;
      const known = new Map(expectedPaths.map(({ path, cost }) => [path.join(), cost]));
      const singlePath = graph.shortestPath(start, goals, options);
      assert.is(singlePath?.cost ?? null, expectedPaths[0]?.cost ?? null, message);
      if (singlePath !== null)
        assert.is(known.get(singlePath.path.join()), singlePath.cost, message);
      const shortest = expectedPaths.filter(({ cost }) => cost === expectedPaths[0]!.cost);
      const shortestPaths = graph.shortestPaths(start, goals, options);
      assert.equal(
        shortestPaths.map(({ path }) => path.join()).sort(),
        shortest.map(({ path }) => path.join()).sort(),
        message,
      );
      const k = 1 + random.below(6);
      const best = graph.shortestPaths(start, goals, { ...options, k });
      assert.equal(
        best.map(({ cost }) => cost),
        expectedPaths.slice(0, k).map(({ cost }) => cost),
        message,
      );
      assert.is(new Set(best.map(({ path }) => path.join())).size, best.length, message);
      for (const { path, cost } of best) assert.is(known.get(path.join()), cost, message);
    }
  }
});

test.run();
