// The client that `svc client` writes. As for users, its package is in a folder of its own.

import { join } from "node:path";
import { SVC } from "../lib/server.mjs";

export const svc = {
  name: "svc",
  sources: () => ({ "app.ts": APP }),
  /** @returns arguments of the command that generates the client */
  generate: ({ project, folder }) => [
    SVC,
    "client",
    ...["--from", join(project, ".svc"), "--out", join(folder, "sdk")],
  ],
  generated: "sdk",
};

const APP = `import { Client } from "./sdk/index.js";

const client = new Client({ baseUrl: "http://127.0.0.1:9000" });
const page = await client.made000x0({ q: "a" });
const total: number = page.total;
console.log(total, page.items[0]?.parent?.color);

function neverCalled() {
  // @ts-expect-error: parameters have types
  client.made000x0({ q: 1 });
  // @ts-expect-error: results have types
  const text: string = page.total;
}
`;
