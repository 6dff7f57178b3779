// A text index used by two executors at once: one and two threads that search, a writer of arcs
// alone and while the index is rebuilt, and searches beside writers and the builder whose results
// are compared with those of a scan. Time that a thread waits for a core is not counted.
//
//   node search-threads.mjs [--rounds 3] [--titles 100000] [--ms 500] [--compared 20000]
//
// Before a release: --titles 1000000 --ms 2000 --compared 1000000

import { median, printTable, printTargets } from "./lib/figures.mjs";
import { readOptions } from "./lib/options.mjs";
import { build, makeProject, NODE_TYPES } from "./lib/project.mjs";
import { startSvc } from "./lib/server.mjs";
import { TIMED } from "./lib/timed-plugins.mjs";

const PLUGINS = `${TIMED}
import { D_OUT, type Graph, type int, M_INT, type PluginRequest } from "svc-server";

const WORDS = 20_000;
const KEPT = 2000;
const LETTERS = "bcdfghklmnprstvz";
const INDEX = { keys: ["title"] };

const below = (limit: number): number => Math.floor(Math.random() * limit);
/** Frequencies follow Zipf's law. */
const rank = (most: number): number => Math.floor(most ** Math.random()) - 1;

/** A distinct word for each number. */
function word(prefix: string, number: number): string {
  let text = prefix;
  for (let rest = number + 1; rest > 0; rest >>>= 4) text += LETTERS[rest & 15] + "a";
  return text;
}

const title = (prefix: string, most: number): string =>
  Array.from({ length: 4 + below(8) }, () => word(prefix, rank(most))).join(" ");

/** Creates vertices with titles. @plugin @graph bench */
export function fill(_request: PluginRequest, graph: Graph, titles: int): number {
  for (let count = 0; count < titles; count++) {
    graph.createVertex("v" + count, { properties: { title: title("wo", WORDS) } });
  }
  return graph.order;
}

/** Creates or drops an index. @plugin @graph bench */
export function want(_request: PluginRequest, graph: Graph, isWanted: boolean): boolean {
  if (!isWanted) return graph.dropIndex("text");
  graph.index("text", INDEX);
  return true;
}

/** @plugin @graph bench */
export function isBuilt(_request: PluginRequest, graph: Graph): boolean {
  return graph.textIndexes().every(({ complete, pending }) => complete && pending === 0);
}

/** Searches two words. @plugin @graph bench */
export function search(_request: PluginRequest, graph: Graph, ms: int): number[] {
  const some = (): string => word("wo", rank(WORDS));
  const probes = Array.from({ length: 500 }, () => some() + " " + some());
  let at = 0;
  return repeat(ms, () => {
    graph.search(probes[at++ % probes.length]!, { hits: 10 });
  });
}

/** Creates and removes arcs, so that the graph does not grow. @plugin @graph bench */
export function write(_request: PluginRequest, graph: Graph, ms: int): number[] {
  const { order } = graph;
  const id = (): string => "v" + below(order);
  return repeat(ms, () => {
    const [from, to] = [id(), id()];
    graph.connect(from, ["passes", M_INT, 1], to);
    graph.disconnect(from, ["passes", D_OUT], to);
  });
}

/** Creates vertices with titles of separate words, which do not change. @plugin @graph bench */
export function keep(_request: PluginRequest, graph: Graph): string[] {
  const titles = Array.from({ length: KEPT }, () => title("ke", 300));
  for (const [at, text] of titles.entries()) {
    graph.createVertex("k" + at, { properties: { title: text } });
  }
  return titles;
}

/** Changes titles for a time, and sometimes rebuilds the index. @plugin @graph bench */
export async function change(_request: PluginRequest, graph: Graph, ms: int): Promise<number> {
  const end = performance.now() + ms;
  let changes = 0;
  for (; performance.now() < end; changes++) {
    const id = "v" + below(20_000);
    if (changes % 10 === 0) graph.deleteVertex(id);
    else graph.createVertex(id, { properties: { title: title("wo", WORDS) } });
    if (changes % 5000 === 0) {
      graph.batch(() => {
        graph.dropIndex("text");
        graph.index("text", INDEX);
      });
    }
    if (changes % 200 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return changes;
}

/** Searches unchanged words; returns searches that differ from a scan. @plugin @graph bench */
export function compare(
  request: PluginRequest, graph: Graph, ms: int, content: { readonly titles: string[] },
): [searches: number, wrong: number] {
  const lists = content.titles.map((text) => text.split(" "));
  const has = (list: string[], kind: number, words: string[]): boolean => {
    if (kind === 0) return words.every((one) => list.includes(one));
    if (kind === 1) return words.some((one) => list.includes(one));
    return list.some((one, at) => one === words[0] && list[at + 1] === words[1]);
  };
  const cases = Array.from({ length: 300 }, (_, number) => {
    const list = lists[below(KEPT)]!;
    const at = below(list.length - 1);
    const kind = number % 3;
    const words = kind === 2 ? list.slice(at, at + 2) : [list[at]!, list[below(list.length)]!];
    const found = lists.flatMap((one, place) => (has(one, kind, words) ? ["k" + place] : []));
    const text = kind === 2 ? '"' + words.join(" ") + '"' : words.join(" ");
    return { text, match: kind === 1 ? "any" : "all", expected: found.sort().join() } as const;
  });
  let searches = 0;
  let wrong = 0;
  const end = performance.now() + ms;
  for (; performance.now() < end && !request.signal.aborted; searches++) {
    const { text, match, expected } = cases[searches % cases.length]!;
    const found = graph.search(text, { match, hits: -1 }) as string[];
    if (found.sort().join() !== expected) wrong++;
  }
  return [searches, wrong];
}
`;

const SLICE_MS = 2000;

const { rounds, titles, ms, compared } = readOptions({
  ...{ rounds: 3, titles: 100_000, ms: 500, compared: 20_000 },
});
const project = makeProject({ "plugins/texts.ts": PLUGINS, "tsconfig.json": NODE_TYPES });
build(project);
const server = await startSvc(project, {
  options: ["--executors", "2", "--plugin-timeout", "100000"],
});
try {
  await call("fill", `titles=${titles}`);
  const samples = await measure();
  report(samples, await compareAll());
} finally {
  await server.stop();
}

async function call(plugin, query = "", body = undefined) {
  const url = `http://127.0.0.1:${server.port}/svc/plugin/${plugin}?${query}`;
  const headers = { "content-type": "application/json" };
  const init = body === undefined ? {} : { method: "POST", headers, body: JSON.stringify(body) };
  const text = await (await fetch(url, init)).text();
  const { status, response } = JSON.parse(text);
  if (status !== "OK") throw new Error(`${plugin}: ${text}`);
  return response;
}

function timed(plugin) {
  return call(plugin, `ms=${ms}`);
}

async function untilBuilt() {
  while (!(await call("isBuilt"))) await new Promise((done) => setTimeout(done, 50));
}

/** Returns the calls per second of each run, by round. The first round is a warm-up run. */
async function measure() {
  const samples = new Map();
  for (let round = 0; round <= rounds; round++) {
    await call("want", "isWanted=false");
    const writer = await timed("write");
    await call("want", "isWanted=true");
    const beside = await timed("write");
    if (await call("isBuilt")) console.log("the builder was done first: more titles, please");
    await untilBuilt();
    const oneThread = await timed("search");
    const [first, second] = await Promise.all([timed("search"), timed("search")]);
    if (round === 0) continue;
    const rates = {
      "one that searches": oneThread,
      "two that search": first.map((rate, at) => rate + second[at]),
      "a writer": writer,
      "beside the builder": beside,
    };
    for (const [name, rate] of Object.entries(rates)) {
      samples.set(name, [...(samples.get(name) ?? []), rate]);
    }
  }
  return samples;
}

/** Searches beside writers and the builder. */
async function compareAll() {
  const kept = await call("keep");
  let [searches, wrong, changes] = [0, 0, 0];
  while (searches < compared) {
    const query = `ms=${SLICE_MS}`;
    const running = [call("compare", query, { titles: kept }), call("change", query)];
    const [[more, faults], written] = await Promise.all(running);
    searches += more;
    wrong += faults;
    changes += written;
  }
  console.log(`${searches} searches beside ${changes} changes and the builder: ${wrong} wrong`);
  return wrong;
}

/** @param {Map<string, [own: number, cpu: number][]>} samples */
function report(samples, wrong) {
  const ratio = (name, of, at) =>
    median(samples.get(name).map((rates, round) => rates[at] / samples.get(of)[round][at]));
  const rows = [...samples].map(([name, rates]) => {
    return [name, ...[0, 1].map((at) => median(rates.map((rate) => rate[at])).toFixed(0))];
  });
  printTable([`${titles} titles`, "per second", "per second of CPU time"], rows);
  const two = ratio("two that search", "one that searches", 0);
  const beside = ratio("beside the builder", "a writer", 0);
  printTargets([
    { label: "2 search threads", value: two, unit: "x one", atLeast: 1.8 },
    { label: "writer during an index build", value: beside, unit: "x", atLeast: 0.9 },
    { label: "searches with a different result", value: wrong, unit: "", atMost: 0 },
  ]);
}
