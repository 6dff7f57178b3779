// Merging partials of a matrix into the JSON text for the client, compared with the naive way:
// parse the JSON of every partition, sort all entries, take the first, serialize them. Both
// alternate, with the same entries and the same result. CPU time includes garbage collection.
//
//   node merge.mjs [--rounds 7] [--ms 200]

import { strict as assert } from "node:assert";
import { median, printTable, printTargets } from "./lib/figures.mjs";
import { readOptions } from "./lib/options.mjs";
import { importSources } from "./lib/sources.mjs";

const { mergePartials, mergedJson, encodeMerged, PluginResponse, S_VAL, S_ID, S_DESC } =
  await importSources(
    "runtime/dispatch/merge-partials.ts",
    "runtime/dispatch/merged-response.ts",
    "runtime/plugin/response/plugin-response.ts",
    "runtime/base/sort-constants.ts",
  );

const INT = "int";
const FLOAT = "float";
const TEXT = "text";
/** Partitions, entries per partition, hits of the merged response, sort keys. */
const CASES = [
  [4, 10, 10, INT],
  [4, 100, 100, FLOAT],
  [16, 100, 100, TEXT],
  [127, 1000, 100, FLOAT],
  [127, 1000, 100, TEXT],
  [127, 1000, -1, FLOAT],
];
/** Maximum time of the case with most entries, in milliseconds. */
const TARGET_MS = 2;
const TARGET_CASE = "127 x 1000 to 100, float";

const { rounds, ms } = readOptions({ rounds: 7, ms: 200 });
report(CASES.map(measure));

function measure([partitions, entries, maxhits, keys]) {
  const name = `${partitions} x ${entries} to ${maxhits < 0 ? "all" : maxhits}, ${keys}`;
  const responses = Array.from({ length: partitions }, (_, partition) =>
    makeResponse(partition, entries, maxhits, keys),
  );
  const partials = responses.map((response) => response.serialize());
  const texts = responses.map((response) => Buffer.from(response.toJSON()));
  const ways = {
    json: () => mergedJson(mergePartials(partials)),
    partial: () => encodeMerged(mergePartials(partials)),
    plain: () => plainMerge(texts, maxhits, keys !== TEXT),
  };
  assert.equal(ways.json().toString(), ways.plain().toString());
  const times = Object.fromEntries(Object.keys(ways).map((way) => [way, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const [way, merge] of Object.entries(ways)) {
      const spentMs = timeOf(merge);
      // The first round is a warm-up run.
      if (round > 0) times[way].push(spentMs);
    }
  }
  const bytes = partials.reduce((sum, partial) => sum + partial.length, 0);
  const [json, partial, plain] = ["json", "partial", "plain"].map((way) => median(times[way]));
  return { name, bytes, json, partial, plain };
}

/** Returns a partition's sorted response; each hit is an entry of a typical search list. */
function makeResponse(partition, entries, maxhits, keys) {
  const response = new PluginResponse(-1, keys === TEXT ? S_ID : S_VAL | S_DESC);
  for (let entry = 0; entry < entries; entry++) {
    const spread = (partition * 7919) % 127;
    if (keys === TEXT) {
      const key = `vertex/${String(entry * 127 + spread).padStart(8, "0")}`;
      response.append(key, { n: entry });
    } else {
      const value = (entries - entry) * 127 - spread;
      response.append(keys === INT ? value : value / 1000, { id: `v${value}`, n: entry });
    }
  }
  // More than a partition would send by itself.
  response.maxhits = maxhits;
  response.i0 = partition;
  return response;
}

function plainMerge(texts, maxhits, isNumeric) {
  const parts = texts.map((text) => JSON.parse(text.toString()));
  const entries = parts.flatMap((part) => part.entries);
  entries.sort(isNumeric ? ([a], [b]) => b - a : ([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const sum = (figure) => parts.reduce((total, part) => total + figure(part), 0);
  return Buffer.from(
    JSON.stringify({
      level: Math.max(...parts.map(({ level }) => level)) + 1,
      levelparts: parts.length,
      partials: sum(({ partials }) => partials),
      hitcount: sum(({ hitcount }) => hitcount),
      aggregator: [0, 1, 2, 3].map((at) => sum(({ aggregator }) => aggregator[at])),
      meta: parts[0].meta,
      entries: maxhits < 0 ? entries : entries.slice(0, maxhits),
    }),
  );
}

/** Returns the CPU time of a call in milliseconds, over at least `ms` of them. */
function timeOf(merge) {
  const started = process.cpuUsage();
  let spentMs = 0;
  let calls = 0;
  for (let batch = 1; spentMs < ms; batch *= 2) {
    for (let call = 0; call < batch; call++) merge();
    calls += batch;
    const { user, system } = process.cpuUsage(started);
    spentMs = (user + system) / 1000;
  }
  return spentMs / calls;
}

function report(results) {
  printTable(
    [
      "partitions x entries to hits, keys",
      "KiB in",
      "to JSON, ms",
      "to a partial, ms",
      "plain, ms",
      "plain/ours",
    ],
    results.map(({ name, bytes, json, partial, plain }) => [
      name,
      (bytes / 1024).toFixed(0),
      json.toFixed(4),
      partial.toFixed(4),
      plain.toFixed(3),
      (plain / json).toFixed(1),
    ]),
  );
  const { json } = results.find(({ name }) => name === TARGET_CASE);
  printTargets([{ label: TARGET_CASE, value: json, unit: "ms", atMost: TARGET_MS }]);
}
