// Rules of merging, one by one (plugin-api, "PluginResponse"), and partials that cannot be merged.

import { crc32 } from "node:zlib";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ResponseError } from "../../../runtime/base/errors.js";
import * as S from "../../../runtime/base/sort-constants.js";
import type { SortKey } from "../../../runtime/base/sort-order.js";
import { mergePartials, mergeTrusted } from "../../../runtime/dispatch/merge-partials.js";
import { encodeMerged, mergedJson } from "../../../runtime/dispatch/merged-response.js";
import * as types from "../../../runtime/plugin/contract/types.js";
import { PluginResponse } from "../../../runtime/plugin/response/plugin-response.js";

const test = suite("merge partials");

/** A response with these keys, each with an item that names the response. */
function makeResponse(name: string, keys: readonly SortKey[], sortby: number = S.S_NONE) {
  const response = new PluginResponse(-1, sortby);
  for (const [position, key] of keys.entries()) response.append(key, `${name}${position}`);
  return response;
}

function merged(responses: readonly (PluginResponse | null)[]): PluginResponse {
  const partials = responses.map((response) => response?.serialize() ?? null);
  return PluginResponse.deserialize(encodeMerged(mergePartials(partials)));
}

function refusal(...partials: readonly (Uint8Array | null)[]): string {
  try {
    mergePartials(partials);
  } catch (error) {
    assert.instance(error, ResponseError);
    return (error as ResponseError).message;
  }
  return "merged";
}

test("merges all partitions by key, then partition, then position", () => {
  const response = merged([
    makeResponse("a", [1, 2, 2]),
    makeResponse("b", [2]),
    makeResponse("c", [1]),
  ]);
  assert.equal(
    response.entries.map(([, item]) => item),
    ["a0", "c0", "a1", "a2", "b0"],
  );
});

test("merges strings and bytes in descending order", () => {
  const numbers = [9, 5, 1].map((key) => makeResponse("n", [key], S.S_VAL));
  assert.equal(
    merged(numbers.reverse()).entries.map(([key]) => key),
    [9, 5, 1],
  );
  // The order of their UTF-16 units differs.
  const texts = ["\u{1f600}", "\uffff", "b", "abc", "ab"].map((key) => makeResponse("t", [key]));
  assert.equal(
    merged(texts).entries.map(([key]) => key),
    ["ab", "abc", "b", "\uffff", "\u{1f600}"],
  );
  const bytes = [[255], [1, 2, 3, 4, 5, 200], [1, 2, 3, 4, 5, 100], []].map((key) =>
    makeResponse("b", [Uint8Array.from(key)]),
  );
  assert.equal(
    merged(bytes).entries.map(([key]) => [...(key as Uint8Array)]),
    [[], [1, 2, 3, 4, 5, 100], [1, 2, 3, 4, 5, 200], [255]],
  );
});

test("merges infinite keys with partitions that are exhausted", () => {
  const infinite = Number.POSITIVE_INFINITY;
  const response = merged([makeResponse("a", [1]), makeResponse("b", [infinite, infinite])]);
  assert.equal(
    response.entries.map(([, item]) => item),
    ["a0", "b0", "b1"],
  );
});

test("concatenates partitions for orders without a comparison", () => {
  const native = S.S_NATIVE | S.S_ASC;
  const response = merged([makeResponse("a", [3, "x"], native), makeResponse("b", [1], native)]);
  assert.equal(response.entries, [
    [3, "a0"],
    ["x", "a1"],
    [1, "b0"],
  ]);
  assert.is(response.sortby, native);
});

test("uses the greatest maxhits, and -1 only if all have -1", () => {
  const limits: [number[], number, number][] = [
    [[2, 3], 3, 3],
    [[-1, 3], 3, 3],
    [[3, -1], 3, 3],
    [[-1, -1], -1, 6],
    [[0, 0], 0, 0],
    [[10, 2], 10, 6],
  ];
  for (const [maxhits, expected, entries] of limits) {
    const responses = maxhits.map((limit) => {
      const response = makeResponse("r", [1, 2, 3]);
      response.maxhits = limit;
      return response;
    });
    const response = merged(responses);
    assert.equal([response.maxhits, response.length], [expected, entries], `${maxhits}`);
  }
});

test("uses order and key type of the lowest partition with entries", () => {
  const empty = new PluginResponse(-1, S.S_ID, types.str);
  const response = merged([
    empty,
    null,
    makeResponse("a", [2, 1], S.S_DEG),
    makeResponse("b", [3], S.S_VAL),
  ]);
  assert.is(response.sortby, S.S_DEG | S.S_DESC);
  assert.is(response.keytype, types.int);
});

test("merges only totals when there are no entries", () => {
  const response = merged([new PluginResponse(5, S.S_VAL), new PluginResponse(7, S.S_ID)]);
  assert.is(response.sortby, S.S_NONE);
  assert.is(response.keytype, null);
  assert.is(response.maxhits, 7);
  assert.equal(response.entries, []);
});

test("merges integers of one partition with floats of another", () => {
  const response = merged([makeResponse("a", [1, 2]), makeResponse("b", [1.5])]);
  assert.is(response.keytype, types.float);
  assert.equal(
    response.entries.map(([key]) => key),
    [1, 1.5, 2],
  );
});

test("sums totals, including those of partitions without entries", () => {
  const responses = [1, 2, 3].map((figure) => {
    const response = makeResponse("r", figure === 2 ? [] : [figure]);
    response.hitcount = 1000 * figure;
    response.partials = figure;
    response.i0 = -figure;
    response.i1 = 10 * figure;
    response.f2 = figure / 4;
    response.f3 = -figure / 8;
    return response;
  });
  const { hitcount, partials, i0, i1, f2, f3 } = merged(responses);
  assert.equal([hitcount, partials, i0, i1, f2, f3], [6000, 6, -6, 60, 1.5, -0.75]);
});

test("drops the message and keeps the metadata of partition 0", () => {
  const responses = [0, 1].map((partition) => {
    const response = makeResponse("r", [1]);
    response.message = `note ${partition}`;
    response.meta = { partition };
    return response;
  });
  assert.is(merged(responses).message, null);
  assert.equal(merged(responses).meta, { partition: 0 });
  assert.is(merged([null, ...responses]).meta, null);
  assert.is(merged([new PluginResponse(), ...responses]).meta, null);
});

test("counts the partitions that did not respond", () => {
  const partial = makeResponse("a", [1]).serialize();
  const { incomplete, levelparts, partials } = mergePartials([null, partial, null]);
  assert.equal([incomplete, levelparts, partials], [2, 3, 1]);
  assert.throws(() => mergePartials([null, null]), TypeError);
});

test("counts corrupt partials as missing where partial results are allowed", () => {
  const partial = makeResponse("a", [1]).serialize();
  const damagedBytes = Uint8Array.from(partial);
  damagedBytes[damagedBytes.length - 1]! ^= 1;
  assert.throws(() => mergePartials([partial, damagedBytes]), /partial 1/);
  const { incomplete, views } = mergeTrusted([
    partial,
    damagedBytes,
    null,
    partial.subarray(0, 20),
  ])!;
  assert.equal([incomplete, views.length], [3, 1]);
  assert.is(mergeTrusted([damagedBytes, null]), null);
});

test("rejects float sums that overflow, as it does integer sums", () => {
  for (const name of ["f2", "f3"] as const) {
    const [first, second] = [makeResponse("a", [1]), makeResponse("b", [1])];
    first[name] = 1e308;
    second[name] = 1e308;
    const partials = [first.serialize(), second.serialize()];
    assert.throws(() => mergePartials(partials), new RegExp(`float overflow in ${name}`));
    second[name] = Number.POSITIVE_INFINITY;
    assert.is(mergePartials([first.serialize(), second.serialize()])[name], second[name]);
  }
});

test("returns the partial of a targeted partition alone", () => {
  const response = makeResponse("a", [1]);
  response.meta = "of partition 1";
  response.hitcount = 9;
  const only = mergePartials([null, response.serialize(), null], 1);
  assert.equal([only.incomplete, only.levelparts, only.level, only.hitcount], [0, 3, 1, 9]);
  assert.is(PluginResponse.deserialize(encodeMerged(only)).meta, "of partition 1");
});

test("counts levels as the interface does when two are merged", () => {
  const engines = Array.from({ length: 5 }, (_, engine) => {
    const response = makeResponse(`e${engine}`, [9 - engine, 3, 2, 1], S.S_VAL);
    response.maxhits = 3;
    return response.serialize();
  });
  const lower = mergePartials(engines.slice(0, 2));
  const otherMerge = mergePartials(engines.slice(2));
  assert.equal([lower.level, lower.levelparts, lower.partials], [1, 2, 2]);
  assert.equal([otherMerge.level, otherMerge.levelparts, otherMerge.partials], [1, 3, 3]);
  const top = mergePartials([encodeMerged(lower), encodeMerged(otherMerge)]);
  assert.equal([top.level, top.levelparts, top.partials, top.hitcount], [2, 2, 5, 20]);
  assert.is(
    mergedJson(top).toString(),
    '{"level":2,"levelparts":2,"partials":5,"hitcount":20,"aggregator":[0,0,0,0],"meta":null,' +
      '"entries":[[9,"e00"],[8,"e10"],[7,"e20"]]}',
  );
});

test("renders keys of each type as JSON", () => {
  const texts: [SortKey[], string][] = [
    [[-1.5, 0, 1e21, Number.POSITIVE_INFINITY], '-1.5 0 1e+21 "Infinity"'],
    [['"\n', "é", "\u{1f600}"], '"\\"\\n" "é" "\u{1f600}"'],
    [[Uint8Array.of(0x61, 0xff)], '"a\ufffd"'],
  ];
  for (const [keys, expected] of texts) {
    const response = makeResponse("i", keys);
    const json = mergedJson(mergePartials([response.serialize()])).toString();
    const mergedKeys = [...json.matchAll(/[[,]\[(.*?),"i/g)].map(([, text]) => text);
    assert.is(mergedKeys.join(" "), expected);
  }
});

test("copies items unchanged", () => {
  const response = new PluginResponse();
  response.append(1, 12345678901234567890n);
  response.append(
    2,
    new Map([
      ["10", 1],
      ["9", 2],
    ]),
  );
  const json = mergedJson(mergePartials([response.serialize()])).toString();
  assert.ok(json.endsWith('[[1,12345678901234567890],[2,{"10":1,"9":2}]]}'), json);
});

test("returns a partial that can be transferred to another thread", () => {
  const bytes = encodeMerged(mergePartials([makeResponse("a", [1]).serialize()]));
  assert.is(bytes.buffer.byteLength, bytes.length);
});

test("rejects keys of another type or order", () => {
  const emptyBytes = new PluginResponse().serialize();
  const ints = makeResponse("a", [1, 2]).serialize();
  const texts = makeResponse("b", ["x"]).serialize();
  const mixed = makeResponse("c", [1, "x"], S.S_NATIVE).serialize();
  const descending = makeResponse("d", [2, 1], S.S_VAL).serialize();
  const unsorted = new PluginResponse(-1, S.S_NATIVE, types.int);
  unsorted.append(1, "e");
  assert.is(
    refusal(emptyBytes, ints, texts),
    "partial 2 keytype str differs from int of partial 1",
  );
  assert.is(refusal(mixed, ints), "partial 1 keytype int differs from mixed of partial 0");
  assert.is(
    refusal(ints, emptyBytes, descending),
    "partial 2 sortby S_VAL|S_DESC differs from S_VAL|S_ASC of partial 0",
  );
  assert.is(
    refusal(ints, unsorted.serialize()),
    "partial 1 sortby S_NATIVE|S_ASC differs from S_VAL|S_ASC of partial 0",
  );
  assert.is(refusal(unsorted.serialize(), ints), "merged");
});

test("rejects sums beyond the safe integers", () => {
  for (const name of ["i0", "i1", "hitcount", "partials"] as const) {
    const response = new PluginResponse();
    response[name] = Number.MAX_SAFE_INTEGER;
    const otherResponse = new PluginResponse();
    otherResponse[name] = 1;
    const text = refusal(response.serialize(), otherResponse.serialize());
    assert.is(text, `integer overflow in ${name}`);
  }
});

test("reports the kind of corruption", () => {
  const goodBytes = makeResponse("a", [1]).serialize();
  const changed = (offset: number, value: number, isSealed: boolean): Uint8Array => {
    const bytes = Buffer.from(goodBytes);
    bytes[offset] = value;
    if (isSealed) bytes.writeUInt32LE(crc32(bytes.subarray(0, -4)), bytes.length - 4);
    return bytes;
  };
  const json = Buffer.from('{"status": "OK"}');
  assert.is(refusal(goodBytes, json), "partial 1 invalid mediatype: 7b227374");
  assert.is(refusal(Buffer.from("A")), "partial 0 invalid mediatype: 41000000");
  assert.is(refusal(Buffer.alloc(0)), "partial 0 invalid mediatype: 00000000");
  assert.is(refusal(goodBytes.subarray(0, 99)), "partial 0 truncated data");
  assert.is(refusal(goodBytes.subarray(0, -1)), "partial 0 truncated data");
  assert.is(refusal(Buffer.concat([goodBytes, json])), "partial 0 invalid header");
  assert.is(refusal(changed(8, 0, true)), "partial 0 invalid header");
  assert.is(refusal(changed(100, 7, false)), "partial 0 data corruption: checksum");
});

test("rejects more levels than a header can hold", () => {
  const bytes = Buffer.from(new PluginResponse().serialize());
  bytes.writeUInt32LE(0xffffffff, 24);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, -4)), bytes.length - 4);
  assert.is(refusal(bytes), "integer overflow in level");
});

test.run();
