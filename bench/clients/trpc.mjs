// tRPC: one router per file, and a client that takes its types from the sources, or from
// declarations emitted by `tsc`.

import { BODY, fileNames, IMPORTS, printEndpoints, printInput, TYPES } from "./endpoints.mjs";

export const trpc = {
  name: "tRPC",
  sources: (files) => ({ ...serverSources(files), "app.ts": printApp("./server/router.js") }),
};

export const trpcDeclared = {
  name: "tRPC, declared",
  sources: (files) => ({ ...serverSources(files), "app.ts": printApp("./declared/router.js") }),
  declare: "server",
  generated: "declared",
};

function serverSources(files) {
  const names = fileNames(files);
  return {
    "server/types.ts": TYPES,
    "server/trpc.ts": TRPC,
    "server/router.ts": printRoot(names),
    ...Object.fromEntries(names.map((name) => [`server/${name}.ts`, printRouter(name)])),
  };
}

const TRPC = `import { initTRPC } from "@trpc/server";

const t = initTRPC.create();
export const router = t.router;
export const publicProcedure = t.procedure;
`;

function printRouter(file) {
  const procedures = printEndpoints(
    file,
    (name, at) => `  ${name}: publicProcedure
    .input(${printInput(at)})
    .query(({ input }) => {
      ${BODY}
      return page;
    }),
`,
  );
  return `${IMPORTS}import { publicProcedure, router } from "./trpc.js";

export const ${file} = router({
${procedures}});
`;
}

function printRoot(names) {
  return `${names.map((name) => `import { ${name} } from "./${name}.js";\n`).join("")}
import { router } from "./trpc.js";

export const appRouter = router({ ${names.join(", ")} });
export type AppRouter = typeof appRouter;
`;
}

const printApp = (router) => `import { createTRPCClient, httpBatchLink } from "@trpc/client";
import type { AppRouter } from "${router}";

const client = createTRPCClient<AppRouter>({
  links: [httpBatchLink({ url: "http://127.0.0.1:9000" })],
});
const page = await client.made000.made000x0.query({ q: "a" });
const total: number = page.total;
console.log(total, page.items[0]?.parent?.color);

function neverCalled() {
  // @ts-expect-error: parameters have types
  client.made000.made000x0.query({ q: 1 });
  // @ts-expect-error: results have types
  const text: string = page.total;
}
`;
