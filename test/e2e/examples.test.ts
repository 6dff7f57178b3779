// Every example is built, served and called as a reader would.
// limit: 60 s
// takes 10 s

import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { packageRoot } from "../../runtime/base/package-info.js";
import { buildProject, type DecodedResponse, get, serve } from "./support/server.js";

const test = suite("examples");
const FOLDER = join(packageRoot(), "examples");

type Call = (path: string, init?: RequestInit) => Promise<DecodedResponse>;

/** Requests to each example: each check restarts it on the same data. */
const CHECKS: Readonly<Record<string, readonly ((call: Call) => Promise<void>)[]>> = {
  cities: [checkCities],
  guides: [checkGuides],
  hello: [checkHello],
  matrix: [checkMatrix],
  railways: [checkFeed, checkRailways],
  recommend: [checkRecommend],
  search: [checkSearchFeed, checkSearch],
  shop: [checkEmptyShop],
};

async function checkHello(call: Call): Promise<void> {
  assert.equal((await call("/svc/plugin/hello")).json.response, ["Hello, world!"]);
  const posted = await call("/svc/plugin/hello?name=you&times=2", { method: "POST", body: "" });
  assert.equal(posted.json.response, ["Hello, you!", "Hello, you!"]);
  assert.is((await call("/svc/plugin/power?base=1.5")).json.response, 2.25);
  const refusedResponse = await call("/svc/plugin/power?base=x");
  assert.is(refusedResponse.status, 400);
  const digest = await call("/svc/plugin/sha256", { method: "POST", body: "abc" });
  assert.match(String(digest.json.response), /^ba7816bf[0-9a-f]{56}$/);
  const searchResult = await call("/svc/plugin/search?q=o&n=1");
  const { entries } = searchResult.json.response as { entries: unknown };
  assert.equal(entries, [["Oslo", { population: 717710 }]]);
}

/** As one instance; `example-system.test.ts` covers all eight. */
async function checkCities(call: Call): Promise<void> {
  const largest = async () => (await call("/svc/plugin/largest?country=NO&n=1")).json.response;
  assert.equal(((await largest()) as { entries: unknown }).entries, []);
  assert.match((await call("/svc/plugin/feed")).text, "only allowed in dispatcher context");
}

/** As one engine; `matrix-command.test.ts` covers a whole matrix. */
async function checkMatrix(call: Call): Promise<void> {
  const { response } = (await call("/svc/plugin/heights?continent=Europe&n=1")).json;
  const highest = [5642, { name: "Elbrus", height: 5642, continent: "Europe" }];
  assert.equal((response as { entries: unknown }).entries, [highest]);
  assert.match((await call("/svc/plugin/mountains")).text, "only allowed in dispatcher context");
}

async function checkRecommend(call: Call): Promise<void> {
  const items = 2000;
  const fed = await call(`/svc/plugin/feed?items=${items}`, { method: "POST" });
  assert.equal(fed.json.response, { vertices: items, arcs: 7761, vectors: items });
  type Similar = readonly { readonly id: string; readonly similarity: number }[];
  const similar = async (query: string): Promise<Similar> =>
    (await call(`/svc/plugin/${query}`)).json.response as Similar;
  const similarItems = await similar("similar?item=item%207&n=3");
  assert.equal(await similar("similar?item=item%207&n=3&exact=true"), similarItems);
  // Those of its own category.
  for (const { id } of similarItems) assert.is(Number(id.slice(5)) % 40, 7);
  const also = (await call("/svc/plugin/alsobought?item=item%207")).json.response as string[];
  assert.ok(also.length >= 2 && also.length <= 4);
  const discovered = await similar("discover?item=item%207&price=100&n=50");
  assert.ok(discovered.length > 0);
  assert.match((await call("/svc/plugin/similar?item=none")).text, "KeyError");
  await checkArticles(call);
}

/** Texts, vectors and arcs of the same example. */
async function checkArticles(call: Call): Promise<void> {
  type Answer = { readonly id: string; readonly text: string; readonly cited: readonly string[] };
  const request = async (query: string): Promise<Answer[]> =>
    (await call(`/svc/plugin/ask?${query}`)).json.response as Answer[];
  assert.equal(await request("q=compost"), []);
  const fed = await call("/svc/plugin/feedarticles?count=100", { method: "POST" });
  assert.equal(fed.json.response, { vertices: 105, arcs: 394, vectors: 100 });
  // No article contains the word, but other forms of it.
  const about = await request("q=gardening&n=3");
  assert.is(about.length, 3);
  for (const { text } of about) assert.match(text, "gardener");
  const [otherTopic] = await request("q=compost&topic=sailing&n=1");
  assert.match(otherTopic!.text, "harbour");
  const [, second] = about;
  const number = Number(second!.id.slice("article ".length));
  const cited = [1, 2, 3].map((back) => `article ${number - back}`);
  assert.equal([...second!.cited].sort(), cited.sort());
  const similarity = async (b: string): Promise<number> => {
    const { response } = (await call(`/svc/plugin/compare?a=gardener&b=${b}`)).json;
    return (response as { similarity: number }).similarity;
  };
  assert.ok((await similarity("gardens")) > 0.5);
  assert.ok((await similarity("tides")) < 0.2);
}

async function checkGuides(call: Call): Promise<void> {
  assert.is((await call("/svc/plugin/price?article=ab-1000")).json.response, 1990);
  assert.is((await call("/svc/plugin/price?article=zz-0000")).status, 404);
  for (const query of ["price?article=AB-1000", "articles?page=0", "articles?size=101"]) {
    assert.is((await call(`/svc/plugin/${query}`)).status, 400, query);
  }
  const order = async (mail: string, count: number) => {
    const body = JSON.stringify({ mail, lines: [{ article: "ab-2000", count }] });
    return call("/svc/plugin/total", { method: "POST", body });
  };
  assert.is((await order("me@example.org", 3)).json.response, 750);
  const as = (key: string) => ({ headers: { Authorization: `Bearer ${key}` } });
  assert.is((await call("/svc/plugin/whoami")).status, 401);
  assert.is((await call("/svc/plugin/whoami", as("let-me-see"))).json.response, "reader");
  const buy = (key: string) => call("/svc/plugin/order?article=x", { method: "POST", ...as(key) });
  assert.is((await buy("let-me-see")).status, 403);
  assert.equal((await buy("let-me-buy")).json.response, {
    ...{ number: 1, by: "buyer", article: "x", count: 1 },
  });
  const asked = { article: "ab-1000", asked: 1 };
  for (let n = 0; n < 2; n++) {
    const popular = await call("/svc/plugin/popular", as("let-me-see"));
    assert.equal(popular.json.response, asked);
  }
  assert.match((await order("me@", 3)).text, "content.mail (a mail address is required)");
}

/** Before it has products; `example-shop.test.ts` covers the rest. */
async function checkEmptyShop(call: Call): Promise<void> {
  const response = async (path: string) => (await call(`/svc/plugin/${path}`)).json.response;
  assert.equal(await response("search?q=boots"), { items: [], cursor: null });
  assert.equal(((await response("facets?q=boots")) as { count: number }).count, 0);
  for (const path of ["trending", "bestSellers"]) assert.equal(await response(path), []);
}

/** Feeding is idempotent. */
async function checkFeed(call: Call): Promise<void> {
  const fed = { vertices: 219, arcs: 2 * 189 + 2 * 454 };
  for (let time = 0; time < 2; time++) {
    assert.equal((await call("/svc/plugin/feed", { method: "POST" })).json.response, fed);
  }
  await checkRailways(call);
}

async function checkRailways(call: Call): Promise<void> {
  const oslo = { country: "NO", population: 718000, latitude: 59.91, longitude: 10.75 };
  const { response } = (await call("/svc/plugin/search?prefix=O&country=NO")).json;
  assert.equal((response as Found).entries, [[718000, { city: "Oslo", ...oslo }]]);

  const large = await itemsFor(call, "search?prefix=B&population=1000000&n=2");
  assert.equal(large, {
    hitcount: 7,
    cities: [
      [3700000, "Berlin"],
      [1720000, "Bucharest"],
    ],
  });
  assert.equal(await itemsFor(call, "search?country=XX"), { hitcount: 0, cities: [] });

  const recommended = await itemsFor(call, "recommend?city=Oslo&n=1");
  assert.equal(recommended, { hitcount: 3, cities: [[365, "Malmö"]] });
  assert.match((await call("/svc/plugin/recommend?city=Nowhere")).text, "KeyError");
}

async function checkSearchFeed(call: Call): Promise<void> {
  for (let time = 0; time < 2; time++) {
    const fed = await call("/svc/plugin/feed?count=2000", { method: "POST" });
    assert.equal(fed.json.response, { recipes: 2000, arcs: 10988, vectors: 2000 });
  }
  await checkSearch(call);
}

interface SearchPage {
  readonly count: number;
  readonly hits: readonly { readonly id: string; readonly title: string }[];
  readonly facets: Readonly<Record<string, readonly { value: string; count: number }[]>>;
  readonly cursor: string | null;
}

async function checkSearch(call: Call): Promise<void> {
  const search = async (query: string) =>
    (await call(`/svc/plugin/search?${query}`)).json.response as SearchPage;
  const { count, hits, facets, cursor } = await search("q=soup");
  assert.ok(count > 10 && hits.length === 10);
  for (const { title } of hits) assert.match(title, "<em>soup</em>");
  assert.is(
    facets.course!.reduce((sum, entry) => sum + entry.count, 0),
    count,
  );
  const next = await search(`q=soup&cursor=${cursor}`);
  assert.is(next.hits.length, Math.min(10, count - 10));
  for (const { id } of next.hits) assert.not(hits.some((hit) => hit.id === id));
  for (const same of ["q=SOU", "q=suop"]) assert.is((await search(same)).hits[0]!.id, hits[0]!.id);
  const [{ value, count: matches }] = facets.cuisine as [{ value: string; count: number }];
  assert.is((await search(`q=soup&cuisine=${value}`)).count, matches);
  const [ingredient] = facets.ingredient as [{ value: string; count: number }];
  const contained = encodeURIComponent(JSON.stringify([ingredient.value]));
  assert.is((await search(`q=soup&ingredients=${contained}`)).count, ingredient.count);
  const similar = await call(`/svc/plugin/similar?id=${encodeURIComponent(hits[0]!.id)}&n=3`);
  assert.is((similar.json.response as unknown[]).length, 3);
  assert.match((await call("/svc/plugin/page")).text, "<!doctype html>");
}

interface Found {
  readonly hitcount: number;
  readonly entries: readonly (readonly [key: number, item: { readonly city: string }])[];
}

async function itemsFor(call: Call, query: string) {
  const { hitcount, entries } = (await call(`/svc/plugin/${query}`)).json.response as Found;
  return { hitcount, cities: entries.map(([key, { city }]) => [key, city]) };
}

for (const name of readdirSync(FOLDER)) {
  test(name, async () => {
    const checks = CHECKS[name];
    assert.ok(checks, `examples/${name} is called by no test`);
    const folder = join(FOLDER, name);
    await buildProject(folder);
    const root = mkdtempSync(join(tmpdir(), "svc-e2e-"));
    try {
      for (const check of checks!) {
        const server = await serve(folder, "--root", root);
        try {
          await check((path, init) => get(server.port, path, init));
        } finally {
          assert.is(await server.stop(), 0);
        }
      }
    } finally {
      rmSync(root, { recursive: true });
    }
  });
}

test.run();
