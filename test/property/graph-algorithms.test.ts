// Algorithms against naive models on random graphs. ROUNDS=n for more graphs, SEED=n to repeat a
// run.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Graph } from "../../runtime/graph/api/graph.js";
import {
  D_ANY,
  D_IN,
  D_OUT,
  M_FLT,
  M_FWDONLY,
  M_STAT,
} from "../../runtime/graph/model/constants.js";
import { makeGraph } from "../runtime/graph/support/make-graph.js";
import { rounds } from "../support/rounds.js";
import { Random, SEED } from "./support/random.js";

const test = suite(`graph algorithms (seed ${SEED})`);
const ROUNDS = rounds(30);

interface Arc {
  readonly from: string;
  readonly to: string;
  readonly weight: number;
}

interface Subject {
  readonly graph: Graph;
  readonly ids: string[];
  readonly arcs: Arc[];
}

function randomSubject(random: Random): Subject {
  const graph = makeGraph();
  const ids = Array.from({ length: 2 + random.below(14) }, (_, index) => `v${index}`);
  for (const id of ids) graph.createVertex(id);
  const arcs = new Map<string, Arc>();
  for (let remaining = random.below(40); remaining > 0; remaining--) {
    const [from, to, weight] = [random.of(ids), random.of(ids), random.below(8) / 2];
    graph.connect(from, ["to", M_FLT, weight], to);
    arcs.set(`${from} ${to}`, { from, to, weight });
    if (random.below(4) === 0) graph.connect(random.of(ids), "other", random.of(ids));
  }
  return { graph, ids, arcs: [...arcs.values()] };
}

/** Costs of the shortest paths between all vertices, by Floyd and Warshall. */
function distances({ ids, arcs }: Subject, isWeighted: boolean): Map<string, number> {
  const costs = new Map<string, number>();
  const of = (from: string, to: string): number =>
    from === to ? 0 : (costs.get(`${from} ${to}`) ?? Number.POSITIVE_INFINITY);
  for (const { from, to, weight } of arcs) costs.set(`${from} ${to}`, isWeighted ? weight : 1);
  for (const via of ids) {
    for (const from of ids) {
      for (const to of ids) {
        costs.set(`${from} ${to}`, Math.min(of(from, to), of(from, via) + of(via, to)));
      }
    }
  }
  return costs;
}

function eachSubject(run: (subject: Subject, random: Random) => void): void {
  const random = new Random();
  for (let round = 0; round < ROUNDS; round++) run(randomSubject(random), random);
}

/** Number of arcs between two vertices by breadth-first search; -1 if there is no path. */
function naiveSteps(
  arcs: ReadonlyMap<string, readonly string[]>,
  from: string,
  to: string,
): number {
  const steps = new Map([[from, 0]]);
  for (const vertex of steps.keys()) {
    for (const head of arcs.get(vertex) ?? []) {
      if (!steps.has(head)) steps.set(head, steps.get(vertex)! + 1);
    }
  }
  return steps.get(to) ?? -1;
}

test("find paths of the fewest arcs in all directions, with forward-only arcs and without", () => {
  const random = new Random(SEED + 7);
  for (let round = 0; round < ROUNDS; round++) {
    const graph = makeGraph();
    const ids = Array.from({ length: 30 + random.below(100) }, (_, index) => `v${index}`);
    for (const id of ids) graph.createVertex(id);
    const [out, into] = [new Map<string, string[]>(), new Map<string, string[]>()];
    const add = (lists: Map<string, string[]>, from: string, to: string): void => {
      lists.set(from, [...(lists.get(from) ?? []), to]);
    };
    const isMixed = round % 3 === 0;
    for (let remaining = ids.length + random.below(ids.length); remaining > 0; remaining--) {
      const [from, to] = [random.of(ids), random.of(ids)];
      // A terminal has arcs of one kind.
      const isForward = isMixed && Number(to.slice(1)) % 4 === 0;
      graph.connect(from, ["to", isForward ? M_STAT | M_FWDONLY : M_STAT], to);
      add(out, from, to);
      if (!isForward) add(into, to, from);
    }
    const any = new Map(ids.map((id) => [id, [...(out.get(id) ?? []), ...(into.get(id) ?? [])]]));
    for (let pair = 0; pair < 60; pair++) {
      const [from, to] = [random.of(ids), random.of(ids)];
      for (const [direction, arcs] of [
        [D_OUT, out],
        [D_IN, into],
        [D_ANY, any],
      ] as const) {
        const path = graph.shortestPath(from, to, { arc: ["to", direction] });
        const message = `${from} ${to} ${direction}, SEED=${SEED}, round ${round}`;
        assert.is(path?.cost ?? -1, naiveSteps(arcs, from, to), message);
        if (path === null) continue;
        assert.is(path.path.length, path.cost + 1, message);
        assert.equal([path.path[0], path.path.at(-1)], [from, to], message);
        path.path.slice(1).forEach((id, index) => {
          assert.ok(arcs.get(path.path[index]!)!.includes(id), message);
        });
        assert.equal(graph.shortestPath(from, to, { arc: ["to", direction] }), path, message);
      }
    }
  }
});

test("find shortest paths of minimum cost", () => {
  eachSubject((subject) => {
    const { graph, ids, arcs } = subject;
    for (const weighted of [false, true]) {
      const costs = distances(subject, weighted);
      for (const from of ids) {
        for (const to of ids) {
          const path = graph.shortestPath(from, to, { arc: "to", weighted });
          const cost = costs.get(`${from} ${to}`)!;
          assert.is(path?.cost ?? Number.POSITIVE_INFINITY, cost, `${from} ${to} ${weighted}`);
          if (path === null) continue;
          assert.equal([path.path[0], path.path.at(-1)], [from, to]);
          let sum = 0;
          for (let step = 1; step < path.path.length; step++) {
            const arc = arcs.find(
              (arc) => arc.from === path.path[step - 1] && arc.to === path.path[step],
            );
            sum += weighted ? arc!.weight : arc === undefined ? Number.NaN : 1;
          }
          assert.is(sum, cost);
        }
      }
    }
  });
});

test("find components by spreading along arcs", () => {
  eachSubject(({ graph, ids, arcs }) => {
    const remaining = new Set(ids);
    const expected: string[][] = [];
    for (const id of ids) {
      if (!remaining.has(id)) continue;
      const members = new Set([id]);
      for (let before = 0; before < members.size; ) {
        before = members.size;
        for (const { from, to } of arcs)
          if (members.has(from) || members.has(to)) members.add(from).add(to);
      }
      for (const member of members) remaining.delete(member);
      expected.push([...members].sort());
    }
    const components = graph.components({ arc: "to" });
    assert.equal(
      components.map(({ length }) => length),
      components.map(({ length }) => length).sort((a, b) => b - a),
    );
    const sorted = (lists: string[][]) => lists.map((list) => list.sort().join()).sort();
    assert.equal(sorted(components), sorted(expected));
    assert.is(graph.components({ arc: "to", hits: 1 }).length, 1);
  });
});

/** By definition, with a dense matrix. */
function naiveRank({ ids, arcs }: Subject, isWeighted: boolean, seeds: string[]): number[] {
  const begin = ids.map((id) =>
    seeds.length === 0 ? 1 / ids.length : seeds.filter((seed) => seed === id).length / seeds.length,
  );
  let rank = begin;
  for (let round = 0; round < 20; round++) {
    const next = ids.map(() => 0);
    for (const [position, id] of ids.entries()) {
      const ownArcs = arcs.filter(({ from }) => from === id);
      const sum = ownArcs.reduce((total, { weight }) => total + (isWeighted ? weight : 1), 0);
      for (const [otherIndex] of ids.entries()) {
        const share = ownArcs
          .filter(({ to }) => to === ids[otherIndex])
          .reduce((total, { weight }) => total + (isWeighted ? weight : 1), 0);
        const part = sum === 0 ? begin[otherIndex]! : share / sum;
        next[otherIndex]! +=
          0.85 * rank[position]! * part + 0.15 * rank[position]! * begin[otherIndex]!;
      }
    }
    rank = next;
  }
  return rank;
}

test("compute ranks by definition, including personalized ones", () => {
  eachSubject((subject, random) => {
    const { graph, ids } = subject;
    for (const weighted of [false, true]) {
      const from = random.below(2) === 0 ? [] : [random.of(ids), random.of(ids)];
      const expected = naiveRank(subject, weighted, from);
      const ranks = graph.pageRank({ arc: "to", weighted, from, hits: -1 });
      assert.is(ranks.length, ids.length);
      for (const { id, score } of ranks) {
        const expectedRank = expected[ids.indexOf(id)]!;
        assert.ok(Math.abs(score - expectedRank) < 1e-9, `${id}: ${score} for ${expectedRank}`);
      }
      assert.ok(Math.abs(ranks.reduce((sum, { score }) => sum + score, 0) - 1) < 1e-9);
    }
  });
});

test("walk along arcs, and count co-occurrences over all pairs of arcs", () => {
  eachSubject(({ graph, ids, arcs }, random) => {
    const id = random.of(ids);
    const options = { arc: "to", steps: 6, walks: 5, seed: 7, weighted: random.below(2) === 0 };
    const walks = graph.randomWalks(id, options);
    assert.equal(graph.randomWalks(id, options), walks);
    for (const walk of walks) {
      assert.is(walk[0], id);
      assert.ok(walk.length <= 7);
      for (let step = 1; step < walk.length; step++) {
        const [from, to] = [walk[step - 1], walk[step]];
        const arc = arcs.find((arc) => arc.from === from && arc.to === to);
        assert.ok(arc !== undefined && (!options.weighted || arc.weight > 0));
      }
      const last = arcs.filter(({ from, weight }) => {
        return from === walk.at(-1) && (!options.weighted || weight > 0);
      });
      assert.ok(walk.length === 7 || last.length === 0);
    }
    const scores = new Map<string, number>();
    for (const arc of arcs.filter(({ from }) => from === id)) {
      for (const otherArc of arcs.filter(({ from, to }) => to === arc.to && from !== id)) {
        scores.set(otherArc.from, (scores.get(otherArc.from) ?? 0) + arc.weight * otherArc.weight);
      }
    }
    const pairs = graph.coOccurrence(id, { arc: "to", weighted: true, hits: -1 });
    assert.equal(
      Object.fromEntries(pairs.map((hit) => [hit.id, hit.score])),
      Object.fromEntries(scores),
    );
  });
});

test("reverse arcs by direction, and reject invalid options", () => {
  const graph = makeGraph();
  graph.connect("a", ["to", M_FLT, -1], "b");
  graph.connect("c", "to", "b");
  assert.equal(graph.shortestPath("b", "a", { arc: D_IN })?.path, ["b", "a"]);
  assert.equal(graph.shortestPath("a", "c", { arc: D_ANY })?.path, ["a", "b", "c"]);
  assert.is(graph.shortestPath("a", "c"), null);
  assert.equal(graph.coOccurrence("a"), [{ id: "c", score: 1 }]);
  assert.throws(() => graph.shortestPath("a", "b", { weighted: true }), /non-negative arc weights/);
  assert.throws(() => graph.shortestPath("a", "nobody"), /does not exist: 'nobody'/);
  assert.throws(() => graph.pageRank({ damping: 1 }), /damping/);
  assert.throws(() => graph.pageRank({ rounds: 0 }), /rounds/);
  assert.throws(() => graph.pageRank({ damp: 1 } as never), /'damp' is an invalid keyword/);
  assert.throws(
    () => graph.randomWalks("a", { steps: -1 }),
    /steps must be an integer of 0 or more/,
  );
  assert.throws(() => graph.components({ arc: { dir: "both" } }), /D_BOTH is not for/);
});

test.run();
