// CPU per request of the records behind the console's pages Metrics and Requests: one record per
// request, its explanation in a dispatcher, and a sample of the windows per second.
//
//   node request-records.mjs [--requests 2000000]

import { printTable } from "./lib/figures.mjs";
import { readOptions } from "./lib/options.mjs";
import { importSources } from "./lib/sources.mjs";

const { Explanation, RecentRequests, PluginCounters } = await importSources(
  "runtime/dispatch/explanation.ts",
  "runtime/http/recent-requests.ts",
  "runtime/metrics/plugin-counters.ts",
);

const { requests: many } = readOptions({ requests: 2_000_000 });
const PLUGINS = 50;
const counters = new PluginCounters();
const tallies = Array.from({ length: PLUGINS }, (_, n) => counters.own(`/svc/plugin/p${n}`));
const exchange = {
  ...{ method: "GET", target: "/svc/plugin/p1?n=3&country=NO", t0Ms: 0, body: null },
  ...{ isWarmUp: false, trace: null, explanation: null, queueUs: -1, runUs: -1 },
  tally: tallies[0],
};
const replicas = [0, 1].map((replica) => ({
  ...{ place: { partition: 0, replica }, address: { host: "10.0.0.1", port: 9000 } },
  ...{ isDefunct: false, hasFreeChannel: true, value: () => 1, speed: { perRequest: 1 } },
}));
const chosen = [0, 1].map((partition) => ({
  ...replicas[0],
  place: { partition, replica: 0 },
}));

function measure(count, run) {
  for (let index = 0; index < count / 10; index++) run(index);
  const begun = process.cpuUsage();
  for (let index = 0; index < count; index++) run(index);
  const { user, system } = process.cpuUsage(begun);
  return (1000 * (user + system)) / count;
}

const records = new RecentRequests();
const now = performance.timeOrigin;
const record = measure(many, (index) => {
  exchange.t0Ms = now + performance.now() - (index % 7);
  exchange.tally = tallies[index % PLUGINS];
  records.add(exchange, 0, index % 50 === 0 ? 404 : 200, 300);
});
const explanation = measure(many / 10, () => {
  const explained = new Explanation("wait");
  for (const backEnd of chosen) {
    explained.chosen(backEnd, replicas, []);
    explained.ended(backEnd.place.partition, 200);
  }
  explained.end();
});
const sample = measure(2000, (index) => {
  for (const tally of tallies) tally.count(200, index % 9);
  counters.tick(Date.now());
});
printTable(
  ["part", "CPU, ns"],
  [
    ["record, per request", record.toFixed(0)],
    ["explanation, per dispatched request", explanation.toFixed(0)],
    [`sample of ${PLUGINS} plugins, per second`, sample.toFixed(0)],
  ],
);
