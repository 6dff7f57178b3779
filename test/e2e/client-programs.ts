// Programs that use the generated clients of the examples, and calls that must not compile. `%s`
// stands for the import of the client, as a module or by `require`.

export interface ClientProgram {
  readonly body: string;
  /** Output, as JSON. */
  readonly prints: unknown;
  /** Expressions that the compiler must reject. */
  readonly wrong: readonly string[];
}

const OSLO = { country: "NO", population: 718000, latitude: 59.91, longitude: 10.75 };

const hello: ClientProgram = {
  body: `
  const greetings: string[] = await client.hello({ name: "you", times: 2 });
  const { response, level } = await client.powerRaw({ base: 1.5 });
  const found = await client.search({ q: "o", n: 1 }, { timeoutMs: 20_000 });
  const towns = found.entries.map(([name, { population }]: [string, { population: number }]) =>
    [name, population]);
  const digests = [
    await client.sha256({ content: new Uint8Array([97, 98, 99]) }),
    await client.sha256({ content: "abc" }),
  ];
  const up: string = (await client.services.time()).time.up;
  const isUp: boolean = await client.with({ retries: 0 }).builtin.ping();
  const health: string = await client.services.hc();
  const refused = await client.power({ base: "x" as unknown as number }).catch((error) => error);
  const kind = refused instanceof SvcError ? [refused.kind, refused.status] : refused;
  print({ greetings, response, level, towns, same: digests[0] === digests[1],
    up: up !== "", isUp, health: health !== "", kind });`,
  prints: {
    greetings: ["Hello, you!", "Hello, you!"],
    ...{ response: 2.25, level: 0, towns: [["Oslo", 717710]], same: true },
    ...{ up: true, isUp: true, health: true, kind: ["parameter", 400] },
  },
  wrong: [
    "client.power()",
    'client.power({ base: "1" })',
    "client.power({ exponent: 2 })",
    "client.power({ base: 1, exponent: null })",
    "client.hello({ nam: 1 })",
    "client.hello({ name: 1 })",
    "client.hello({}, { timeout: 5 })",
    "client.hello({ timeoutMs: 5 })",
    "client.sha256({ content: 5 })",
    "client.greet()",
    "client.builtin.ping({ timeoutMs: 5 })",
    "client.builtin.vertex({ graph: 1 })",
    "client.services.inspect({ level: true })",
    "client.services.hcRaw()",
    "new Client({})",
    'new Client("http://127.0.0.1")',
    "client.with({ retries: true })",
    "(await client.hello()).length.x",
    "(await client.powerRaw({ base: 1 })).response.length",
    '(await client.search({ q: "a" })).entries[0]![1].name',
    "client.then",
  ],
};

const cities: ClientProgram = {
  body: `
  await client.load();
  const { entries, hitcount } = await client.largest({ country: "NO", n: 1 });
  const [population, name]: [number, string] = entries[0]!;
  print({ population, name, hitcount });`,
  prints: { population: 718000, name: "Oslo", hitcount: 2 },
  wrong: ["client.largest({ country: 1 })", "client.load({ n: 1 })", "client.sumUp()"],
};

const railways: ClientProgram = {
  body: `
  const { vertices, arcs } = await client.feed();
  const params: Parameters<typeof client.search>[0] = { prefix: "O", country: "NO" };
  const found = await client.search(params);
  const missing = await client.recommend({ city: "Nowhere" }).catch((error) => error);
  const status = await client.builtin.neighbor({ graph: "cities", id: "Oslo", arc: "rail" });
  // Vectors of numbers, of features and of bits, in the same calls.
  const graph = "cities";
  await client.builtin.rebuildvectors({ graph, precision: "binary", name: "bits" });
  const given = { dense: [0.6, 0.8], tags: [["sea", 1]], bits: [1, 0, 1] };
  const content = JSON.stringify({ vectors: given });
  await client.builtin.createvertex({ graph, id: "Port", content });
  const vectors = { dense: [0.6, 0.8], tags: [["sea", 0.5]], bits: [0, 0, 1] };
  const near = await client.builtin.nearest({ graph, content: JSON.stringify({ vectors }) });
  print({ fed: vertices + arcs, entries: found.entries, hitcount: found.hitcount,
    missing: missing instanceof SvcError ? [missing.kind, missing.exception] : missing,
    asked: typeof status, near: JSON.stringify(near).slice(0, 40) });`,
  prints: {
    fed: 219 + 2 * 189 + 2 * 454,
    entries: [[718000, { city: "Oslo", ...OSLO }]],
    ...{ hitcount: 1, missing: ["plugin", "KeyError"], asked: "object" },
    near: '[{"id":"Port","similarity":2.70710678118',
  },
  wrong: ["client.recommend()", "client.recommend({ town: 1 })", "client.feed({ x: 1 })"],
};

const search: ClientProgram = {
  body: `
  const { recipes } = await client.feed({ count: 500 });
  const { count, hits, facets } = await client.search({ q: "curry", ingredients: ["ginger"] });
  const cuisines: { value: string; count: number }[] = facets.cuisine;
  const similar = await client.similar({ id: hits[0]!.id, n: 3 });
  const page = await client.page();
  print({ recipes, isFound: count > 0, hasFacets: cuisines.length > 0, similar: similar.length,
    page: [page.status, (await page.text()).startsWith("<!doctype html>")] });`,
  prints: {
    ...{ recipes: 500, isFound: true, hasFacets: true, similar: 3, page: [200, true] },
  },
  wrong: [
    "client.search()",
    "client.search({ words: 1 })",
    "client.similar({ id: 7 })",
    "client.feed({ n: 1 })",
  ],
};

const matrix: ClientProgram = {
  body: `
  const { highest, found, engines } = await client.mountains({ continent: "Europe", n: 1 });
  const { partitions, coverage } = await client.mountainsRaw();
  const one = await client.with({ partial: 1 }).heights({ n: 1 });
  const share = coverage ?? "needs all";
  print({ highest, found, engines, partitions, share, partials: one.partials });`,
  prints: {
    highest: ["Elbrus 5642 m"],
    ...{ found: 9, engines: 2, partitions: [2, 0, 2], share: "needs all", partials: 1 },
  },
  wrong: ['client.mountains({ n: "1" })', "(await client.mountains()).entries"],
};

const recommend: ClientProgram = {
  body: `
  const { vertices, vectors } = await client.feed({ items: 400 });
  const similar = await client.similar({ item: "item 7", n: 3, exact: true });
  const sims: number[] = similar.map(({ similarity }) => similarity);
  const also: string[] = await client.alsobought({ item: "item 7", n: 2 });
  const missing = await client.similar({ item: "nothing" }).catch((error) => error);
  print({ vertices, vectors, similar: similar.length, also: also.length,
    isSorted: sims.every((one, at) => at === 0 || one <= sims[at - 1]!),
    missing: missing instanceof SvcError ? missing.kind : missing });`,
  prints: {
    ...{ vertices: 400, vectors: 400, similar: 3, also: 2, isSorted: true, missing: "plugin" },
  },
  wrong: ["client.similar()", "client.similar({ item: 7 })", "client.feed({ n: 1 })"],
};

const guides: ClientProgram = {
  body: `
  const cents: number = await client.price({ article: "ab-1000" });
  const pages: string[] = await client.articles({ page: 2, size: 2 });
  const lines = [{ article: "ab-2000", count: 4 }];
  const total = await client.total({ content: { mail: "a@b.example", lines } });
  const kindOf = (e: unknown) => (e instanceof SvcError ? [e.kind, e.status] : e);
  const articleOf = (e: unknown): unknown => {
    if (!(e instanceof SvcError)) return e;
    switch (e.kind) {
      case "NoSuchArticle": {
        const [status, { article }]: [404, { article: string }] = [e.status, e.details];
        return [status, article, e.message];
      }
      default:
        return e.kind;
    }
  };
  const unknown = await client.price({ article: "zz-9999" }).catch(articleOf);
  const prices: [string, number | null][] = [];
  for await (const { article, cents } of client.prices({ articles: ["ab-1000", "zz-1111"] })) {
    prices.push([article, cents]);
  }
  const malformed = await client.price({ article: "lamp" }).catch(kindOf);
  const stranger = await client.whoami().catch(kindOf);
  print({ cents, pages, total, unknown, malformed, stranger, prices });`,
  prints: {
    ...{
      cents: 1990,
      pages: ["cd-1000"],
      total: 1000,
      unknown: [404, "zz-9999", "/svc/plugin/price: no article zz-9999"],
    },
    ...{ malformed: ["parameter", 400], stranger: ["Unauthorized", 401] },
    prices: [
      ["ab-1000", 1990],
      ["zz-1111", null],
    ],
  },
  wrong: [
    "client.price()",
    "client.price({ article: 7 })",
    "client.pricesRaw",
    "(await client.prices({ articles: [] })).length",
    '((e: unknown) => (e instanceof SvcError && e.kind === "NoSuchArtikel"))(0)',
    '((e: unknown) => (e instanceof SvcError && e.kind === "NoSuchArticle" && e.details.x))(0)',
    "client.articles({ page: true })",
  ],
};

const shop: ClientProgram = {
  body: `
  const titles: string[] = [];
  for await (const { title } of client.search.all({ q: "boots" })) titles.push(title);
  const { count } = await client.facets({ q: "boots" });
  const kindOf = (e: unknown) => (e instanceof SvcError ? [e.kind, e.status] : e);
  const unknown = await client.similar({ product: "p000001" }).catch(kindOf);
  const stranger = await client.buy({ product: "p000001" }).catch(kindOf);
  print({ titles, count, unknown, stranger });`,
  prints: {
    titles: [],
    count: 0,
    unknown: ["UnknownProduct", 404],
    stranger: ["NotSignedIn", 401],
  },
  wrong: ["client.buy()", "client.register({ content: { name: 1 } })", "client.search.all({})"],
};

export const PROGRAMS: Readonly<Record<string, ClientProgram>> = {
  cities,
  guides,
  hello,
  matrix,
  railways,
  recommend,
  search,
  shop,
};

const USE = (body: string) => `
declare const process: { readonly argv: readonly string[] };
const print = (value: unknown) => console.log(JSON.stringify(value));

async function main(): Promise<void> {
  const client = new Client({ baseUrl: process.argv[2]! });
${body}
}

main();
`;

export function moduleProgram(name: string, { body }: ClientProgram): string {
  return `import { Client, SvcError } from "${name}";\n${USE(body)}`;
}

export function commonjsProgram(name: string, { body }: ClientProgram): string {
  const imported = `import sdk = require("${name}");\nconst { Client, SvcError } = sdk;\n`;
  return `${imported}${USE(body)}`;
}

/** Each of the calls is an error, or the comment above it is one. */
export function wrongProgram(name: string, { wrong }: ClientProgram): string {
  const lines = wrong.map((call) => `// @ts-expect-error\nawait ${call};`);
  return `import { Client } from "${name}";
declare const client: Client;
${lines.join("\n")}
`;
}
