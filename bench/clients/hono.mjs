// Hono: one chain of routes per file. Its client takes its types from all sources or, as Hono's
// documentation recommends for many routes, there is a precompiled client per file. Precompiled
// clients of all files are impossible: TypeScript refuses to print a type of a thousand routes.

import { BODY, fileNames, IMPORTS, printEndpoints, printInput, TYPES } from "./endpoints.mjs";

export const hono = {
  name: "Hono",
  sources: (files) => ({
    ...routeSources(files),
    "server/app.ts": printRoot(fileNames(files)),
    "app.ts": `import { hc } from "hono/client";
import type { App } from "./server/app.js";

const client = hc<App>("http://127.0.0.1:9000");
${call("client.made000")}`,
  }),
};

export const honoSplit = {
  name: "Hono, split",
  sources: (files) => ({
    ...routeSources(files),
    ...Object.fromEntries(
      fileNames(files).map((name) => [`server/client-${name}.ts`, printClient(name)]),
    ),
    "app.ts": `import { hcWithType } from "./declared/client-made000.js";

const client = hcWithType("http://127.0.0.1:9000/made000");
${call("client")}`,
  }),
  declare: "server",
  generated: "declared",
};

const call = (routes) => `const response = await ${routes}.made000x0.$post({ json: { q: "a" } });
if (!response.ok) throw new Error(String(response.status));
const page = await response.json();
const total: number = page.total;
console.log(total, page.items[0]?.parent?.color);

function neverCalled() {
  // @ts-expect-error: parameters have types
  ${routes}.made000x0.$post({ json: { q: 1 } });
  // @ts-expect-error: results have types
  const text: string = page.total;
}
`;

/**
 * Forces the client type of a file to be computed when declarations are emitted, by using it as the
 * type of a value; an alias would be printed as written and computed in every app.
 */
const printClient = (file) => `import { hc } from "hono/client";
import type { ${file} } from "./${file}.js";

const client = hc<typeof ${file}>("");
export type Client = typeof client;
export const hcWithType = (...args: Parameters<typeof hc>): Client => hc<typeof ${file}>(...args);
`;

function routeSources(files) {
  const routes = fileNames(files).map((name) => [`server/${name}.ts`, printRoutes(name)]);
  return { "server/types.ts": TYPES, ...Object.fromEntries(routes) };
}

function printRoutes(file) {
  const routes = printEndpoints(
    file,
    (name, at) => `
  .post(
    "/${name}",
    zValidator("json", ${printInput(at)}),
    (context) => {
      const input = context.req.valid("json");
      ${BODY}
      return context.json(page, 200);
    },
  )`,
  );
  return `import { zValidator } from "@hono/zod-validator";
import { Hono } from "hono";
${IMPORTS}
export const ${file} = new Hono()${routes};
`;
}

function printRoot(names) {
  return `import { Hono } from "hono";
${names.map((name) => `import { ${name} } from "./${name}.js";\n`).join("")}
const app = new Hono()${names.map((name) => `\n  .route("/${name}", ${name})`).join("")};
export type App = typeof app;
`;
}
