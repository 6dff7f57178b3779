// Random systems of levels of dispatchers, written with ranges and with one entry per instance are
// the same, also with the hosts that a platform gives. The seed is printed on a failure and repeats
// the run as SEED=n.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { descriptorWith } from "../../cli/admin/manifest/placement.js";
import { planInstance } from "../../runtime/system/instance-plan.js";
import { readDescriptor } from "../../runtime/system/read-descriptor.js";
import type { System } from "../../runtime/system/system.js";
import { rounds } from "../support/rounds.js";
import { Random, SEED } from "./support/random.js";

const test = suite("compact descriptors");

type Dict = Record<string, unknown>;

interface Shape {
  readonly groups: number;
  readonly width: number;
  readonly rows: number;
  readonly first: number;
  /** Between the numbers of an id. */
  readonly separator: string;
  readonly priority: number;
}

function count(from: number, length: number): number[] {
  return Array.from({ length }, (_, n) => from + n);
}

/** The notation with ranges. */
function compact({ groups, width, rows, first, separator, priority }: Shape): object {
  const ranges = (...sizes: readonly number[]) =>
    sizes.map((size) => `{${first}..${first + size - 1}}`).join(separator);
  const leaf = { hport: 9000, tport: 9100, description: "{1} and {3}: {2}", type: "search" };
  const last = `{${first}..${first + width - 1}}`;
  return {
    graphs: ["g"],
    common: { graph: "g" },
    instances: {
      T: { type: "dispatch", hport: 8000 },
      [`D${ranges(groups)}`]: { type: "dispatch", hport: 9000, host: "d{1}" },
      [`B${ranges(groups, width)}`]: { type: "builder", hport: 9000, host: "b{1}-{2}" },
      [`S${ranges(rows, groups, width)}`]: { ...leaf, host: "s{1}-{2}-{3}" },
    },
    topology: {
      transaction: {
        [`B${ranges(groups, width)}`]: [`S${ranges(rows)}${separator}{1}${separator}{2}`],
      },
      dispatch: {
        T: [{ partitions: [`D${ranges(groups)}`] }],
        [`D${ranges(groups)}`]: count(first, rows).map((row) => ({
          priority,
          partitions: [`S${row}${separator}{1}${separator}${last}`],
        })),
      },
    },
  };
}

/** The same, with loops. */
function expanded({ groups, width, rows, first, separator, priority }: Shape): object {
  const instances: Dict = { T: { type: "dispatch", hport: 8000 } };
  const transaction: Dict = {};
  const dispatch: Dict = { T: [{ partitions: count(first, groups).map((group) => `D${group}`) }] };
  const id = (...numbers: readonly number[]) => numbers.join(separator);
  for (const group of count(first, groups)) {
    instances[`D${group}`] = { type: "dispatch", hport: 9000, host: `d${group}` };
    dispatch[`D${group}`] = count(first, rows).map((row) => ({
      priority,
      partitions: count(first, width).map((leaf) => `S${id(row, group, leaf)}`),
    }));
  }
  const leaves = count(first, groups).flatMap((g) =>
    count(first, width).map((n) => [g, n] as const),
  );
  for (const [group, leaf] of leaves) {
    const host = `b${group}-${leaf}`;
    instances[`B${id(group, leaf)}`] = { type: "builder", hport: 9000, host };
    transaction[`B${id(group, leaf)}`] = count(first, rows).map(
      (row) => `S${id(row, group, leaf)}`,
    );
  }
  for (const row of count(first, rows)) {
    for (const [group, leaf] of leaves) {
      instances[`S${id(row, group, leaf)}`] = {
        ...{ type: "search", hport: 9000, tport: 9100, host: `s${row}-${group}-${leaf}` },
        description: `${row} and ${leaf}: ${group}`,
      };
    }
  }
  return { graphs: ["g"], common: { graph: "g" }, instances, topology: { transaction, dispatch } };
}

function essence(system: System): object {
  const { descriptor: _, ...rest } = system;
  return rest;
}

test("are the same systems as those without ranges", () => {
  const random = new Random(SEED);
  for (let round = 0; round < rounds(20); round++) {
    const shape: Shape = {
      groups: 1 + random.below(4),
      width: 1 + random.below(12),
      rows: 1 + random.below(3),
      first: random.below(12),
      separator: random.of([".", "-", "_", ".x"]),
      priority: random.below(4),
    };
    const where = `SEED=${SEED} ${JSON.stringify(shape)}`;
    const system = readDescriptor(compact(shape));
    const same = readDescriptor(expanded(shape));
    assert.equal(essence(system), essence(same), where);
    for (const id of system.instances.keys()) {
      assert.equal(planInstance(system, id), planInstance(same, id), where);
    }
    const hostName = (id: string) => `pod-${id.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}-0`;
    const placed = descriptorWith(system, (id) => ({ host: hostName(id) }));
    const [encoded, otherEncoded] = [
      placed,
      descriptorWith(same, (id) => ({ host: hostName(id) })),
    ].map((text) => readDescriptor(JSON.parse(text)));
    assert.equal(essence(encoded!), essence(otherEncoded!), where);
    assert.is(encoded!.instances.get(`D${shape.first}`)!.host, hostName(`D${shape.first}`), where);
    const isCompact = Object.keys(JSON.parse(placed).instances).length <= 4;
    assert.ok(isCompact, where);
  }
});

test.run();
