// The client that hey-api generates from our OpenAPI document with its default plugins.

import { join } from "node:path";
import { fileURLToPath } from "node:url";

const OPENAPI_TS = fileURLToPath(
  new URL("../node_modules/@hey-api/openapi-ts/bin/run.js", import.meta.url),
);

export const heyApi = {
  name: "hey-api",
  sources: () => ({ "app.ts": APP }),
  generate: ({ document, folder }) => [
    OPENAPI_TS,
    ...["--input", document, "--output", join(folder, "client"), "--silent", "--no-log-file"],
  ],
  generated: "client",
};

const APP = `import { made000X0 } from "./client";
import { client } from "./client/client.gen";

client.setConfig({ baseUrl: "http://127.0.0.1:9000" });
const { data } = await made000X0({ query: { q: "a" }, throwOnError: true });
const total: number = data.response.total;
console.log(total, data.response.items[0]?.parent?.color);

function neverCalled() {
  // @ts-expect-error: parameters have types
  made000X0({ query: { q: 1 } });
  // @ts-expect-error: results have types
  const text: string = data.response.total;
}
`;
