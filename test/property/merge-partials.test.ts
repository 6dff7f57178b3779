// Merged responses against a naive implementation: all entries in a list, a stable sort, the first
// of them. SEED=n repeats a run, ROUNDS=n runs more.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { encodePartial, type Partial } from "../../runtime/base/partial/partial-codec.js";
import * as S from "../../runtime/base/sort-constants.js";
import {
  compareKeys,
  isDescending,
  type SortKey,
  sortClass,
} from "../../runtime/base/sort-order.js";
import { mergePartials } from "../../runtime/dispatch/merge-partials.js";
import { encodeMerged, mergedJson } from "../../runtime/dispatch/merged-response.js";
import { PluginResponse } from "../../runtime/plugin/response/plugin-response.js";
import { rounds } from "../support/rounds.js";
import { Random, SEED } from "./support/random.js";
import { randomResponses } from "./support/random-responses.js";

const test = suite("merged responses");
const ROUNDS = rounds(500);

type Responses = readonly (PluginResponse | null)[];

/** The merged response as plain data. */
function naive(responses: Responses): Partial {
  const arrived = responses.filter((response) => response !== null);
  const filled = arrived.filter(({ length }) => length > 0);
  const sum = (figure: (response: PluginResponse) => number): number =>
    arrived.reduce((total, response) => total + figure(response), 0);
  const maxhits = Math.max(...arrived.map((response) => response.maxhits));
  const sortby = filled[0]?.sortby ?? S.S_NONE;
  const entries: [SortKey, unknown][] = filled.flatMap((response) => response.entries);
  const sign = isDescending(sortby) ? -1 : 1;
  // Array.prototype.sort is stable.
  if (sortClass(sortby) !== "any") entries.sort(([a], [b]) => sign * compareKeys(a, b));
  const expectedEntries = maxhits < 0 ? entries : entries.slice(0, maxhits);
  const keytypes = filled.map(({ keytype }) => keytype?.wire ?? null);
  const meta = responses[0]?.meta ?? null;
  return {
    maxhits,
    sortby,
    keytype: keytypes.includes("float") ? "float" : ((keytypes[0] as Partial["keytype"]) ?? null),
    hitcount: sum(({ hitcount }) => hitcount),
    level: Math.max(...arrived.map(({ level }) => level)) + 1,
    levelparts: responses.length,
    partials: sum(({ partials }) => partials),
    i0: sum(({ i0 }) => i0),
    i1: sum(({ i1 }) => i1),
    f2: sum(({ f2 }) => f2),
    f3: sum(({ f3 }) => f3),
    message: null,
    meta: meta === null ? null : JSON.stringify(meta),
    keys: expectedEntries.map(([key]) => key),
    items: expectedEntries.map(([, item]) => JSON.stringify(item)),
  };
}

function serialized(responses: Responses): (Uint8Array | null)[] {
  return responses.map((response) => response?.serialize() ?? null);
}

/** The same bytes at an unaligned address. */
function unaligned(random: Random, data: Uint8Array | null): Uint8Array | null {
  if (data === null) return null;
  const offset = random.below(9);
  const bytes = new Uint8Array(offset + data.length);
  bytes.set(data, offset);
  return bytes.subarray(offset);
}

test("are the first entries of a stable sort, with summed totals", () => {
  const random = new Random();
  for (let round = 0; round < ROUNDS; round++) {
    const label = `SEED=${SEED}, round ${round}`;
    const width = 1 + random.below(random.of([4, 20, 127]));
    const responses = randomResponses(random, width, true);
    const expected = naive(responses);
    const merged = mergePartials(serialized(responses).map((data) => unaligned(random, data)));
    const bytes = encodeMerged(merged);
    assert.equal(bytes, encodePartial(expected), label);
    assert.is(mergedJson(merged).toString(), PluginResponse.deserialize(bytes).toJSON(), label);
    const missing = responses.filter((response) => response === null).length;
    assert.is(merged.incomplete, missing, label);
  }
});

test("are the same when groups of partitions are merged first", () => {
  const random = new Random();
  for (let round = 0; round < ROUNDS / 5; round++) {
    const label = `SEED=${SEED}, round ${round}`;
    const responses = randomResponses(random, 2 + random.below(30), false);
    const maxhits = random.of([-1, 5, 40]);
    for (const response of responses) response!.maxhits = maxhits;
    const groups = split(random, serialized(responses));
    const upper = groups.map((group) => encodeMerged(mergePartials(group)));
    const merged = mergePartials(upper);
    const flat = naive(responses);
    assert.equal(
      encodeMerged(merged),
      encodePartial({ ...flat, level: 2, levelparts: groups.length }),
      label,
    );
  }
});

function split<T>(random: Random, list: readonly T[]): T[][] {
  const groups: T[][] = [];
  for (let offset = 0; offset < list.length; ) {
    const size = 1 + random.below(8);
    groups.push(list.slice(offset, offset + size));
    offset += size;
  }
  return groups;
}

test.run();
