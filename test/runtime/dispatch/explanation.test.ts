// Content of an explanation: the replicas that were tried, and the explanations of back-ends.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Explanation, engineExplanation } from "../../../runtime/dispatch/explanation.js";
import { Matrix } from "../../../runtime/dispatch/matrix.js";
import { readMatrixConfig } from "../../../runtime/settings/matrix-config.js";

const test = suite("explanation");

/** One partition of four replicas without connections. */
function replicas() {
  const config = {
    partitions: [[1, 2, 3, 4].map((port) => ({ host: "höst", port }))],
    replicas: new Array(4).fill({ channels: 1, priority: 3 }),
  };
  const [partition] = new Matrix(readMatrixConfig(config)).backEnds;
  for (const backEnd of partition!) backEnd.markUp();
  return partition!;
}

interface Shown {
  readonly ms: Readonly<Record<string, number>>;
  readonly partitions: readonly { partition: number; tries: Record<string, unknown>[] }[];
}

function shown(explanation: Explanation): Shown {
  const text = explanation.text(false);
  assert.match(text, /^[\x20-\x7e]*$/);
  return JSON.parse(text);
}

test("lists the cost of every replica and the outcome of each attempt", () => {
  const backEnds = replicas();
  const [first, second, third, fourth] = backEnds;
  const explanation = new Explanation("pre");
  explanation.begin("wait");
  third!.markDown("a test says so");
  fourth!.takeChannel();
  first!.penalize();
  explanation.recordChoice(second!, backEnds, []);
  explanation.recordEnd(0, "connection lost");
  explanation.recordChoice(first!, backEnds, [second!]);
  explanation.recordEnd(0, 200, '{"ms":{"total":5}}');
  const { ms, partitions } = shown(explanation);
  assert.equal(Object.keys(ms), ["total", "pre", "wait", "backends"]);
  const tries = partitions[0]!.tries.map(({ ms, ...rest }) => {
    assert.type(ms, "number");
    return rest;
  });
  assert.is(partitions[0]!.partition, 0);
  assert.equal(tries, [
    {
      replica: 1,
      address: "höst:2",
      costs: [256, 0, "down", "full"],
      outcome: "connection lost",
    },
    {
      replica: 0,
      address: "höst:1",
      costs: [256, "tried", "down", "full"],
      outcome: 200,
      below: { ms: { total: 5 } },
    },
  ]);
});

test("ignores explanations of back-ends that are large or invalid JSON", () => {
  const backEnds = replicas();
  for (const below of ['{"a":1', "", `"${"x".repeat(7000)}"`]) {
    const explanation = new Explanation("wait");
    explanation.recordChoice(backEnds[0]!, backEnds, []);
    explanation.recordEnd(0, 200, below);
    assert.not("below" in shown(explanation).partitions[0]!.tries[0]!);
  }
});

test("keeps at least the times in a header line", () => {
  const backEnds = replicas();
  const explanation = new Explanation("wait");
  const tell = (below: string): void => {
    explanation.recordChoice(backEnds[0]!, backEnds, []);
    explanation.recordEnd(0, 200, below);
  };
  tell(`"${"x".repeat(3000)}"`);
  assert.match(explanation.text(true), '"partitions":');
  tell(`"${"x".repeat(3000)}"`);
  assert.match(explanation.text(true), /^\{"ms":\{"total":[^}]*\}\}$/);
  assert.match(explanation.text(false), '"partitions":');
});

test("reports only the total time for an engine", () => {
  assert.is(engineExplanation(1.23456), '{"ms":{"total":1.235}}');
});

test("ends the time of an aborted attempt with the explanation", () => {
  const backEnds = replicas();
  const explanation = new Explanation("wait");
  explanation.recordChoice(backEnds[0]!, backEnds, []);
  const { ms, partitions } = shown(explanation);
  const [{ ms: tryMs, outcome }] = partitions[0]!.tries as [Record<string, unknown>];
  assert.is(outcome, null);
  assert.ok((tryMs as number) <= ms.total!, `${tryMs} of ${ms.total}`);
});

test.run();
