// Environment variables: the schema of a project reports all faults at once, and no value; plugins
// do not see those of svc itself.
// limit: 60 s

import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { packageRoot } from "../../runtime/base/package-info.js";
import { buildProject, get, started } from "./support/server.js";
import { TemporaryProject } from "./support/temporary-project.js";

const test = suite("environment variables");
const SVC = join(packageRoot(), "bin/svc.cjs");

const SCHEMA = `import type { StandardSchema } from "svc-server";

type Variables = Readonly<Record<string, string | undefined>>;

export const Env: StandardSchema<Variables> = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate(value) {
      const { DB_URL, API_KEY } = value as Variables;
      if (DB_URL === "throw") throw new RangeError(\`secret \${API_KEY}\`);
      const issues = [];
      if (DB_URL === undefined) issues.push({ message: "required", path: ["DB_URL"] });
      if (API_KEY?.startsWith("key-") !== true) {
        issues.push({ message: \`expected key-…, received \${API_KEY}\`, path: ["API_KEY"] });
      }
      return issues.length > 0 ? { issues } : { value: value as Variables };
    },
  },
};

export const none = 1;
`;
const PLUGIN = `import type { PluginRequest } from "svc-server";

/** @plugin */
export function one(request: PluginRequest): number {
  return 1;
}

/** @plugin */
export function cache(request: PluginRequest): string {
  return (globalThis as any).process.env.NODE_COMPILE_CACHE ?? "none";
}

/** @plugin @inline */
export function cacheInline(request: PluginRequest): string {
  return cache(request);
}
`;

let project: TemporaryProject;

test.before(() => {
  project = new TemporaryProject({ "plugins/p.ts": PLUGIN, "src/env.ts": SCHEMA });
});
test.after(() => project.remove());

/** The error of a start, empty if the server starts. */
async function startWith(reference: string, variables: Readonly<Record<string, string>>) {
  project.write("svc.config.ts", `export default { env: "${reference}" };\n`);
  await buildProject(project.folder);
  const { DB_URL: _, API_KEY: __, ...others } = process.env;
  const env = { ...others, ...variables };
  try {
    const server = await started([SVC, "serve", project.folder, "--port", "0"], env);
    await server.stop();
    return "";
  } catch (error) {
    return String(error);
  }
}

test("reports all faults at the start, without values", async () => {
  const error = await startWith("src/env.ts#Env", { API_KEY: "very-secret" });
  assert.match(error, "SVC3025");
  assert.match(error, "DB_URL: required");
  assert.match(error, "API_KEY: expected key-…, received …");
  assert.not.match(error, "secret");
});

test("a server starts with valid variables, also of .env", async () => {
  project.write(".env", "DB_URL=postgres://x\n");
  assert.is(await startWith("src/env.ts#Env", { API_KEY: "key-1" }), "");
});

test("an invalid schema, or one that throws, ends the start", async () => {
  const variables = { API_KEY: "very-secret", DB_URL: "throw" };
  const error = await startWith("src/env.ts#Env", variables);
  assert.match(error, "src/env.ts#Env cannot be used: RangeError");
  assert.not.match(error, "secret");
  assert.match(await startWith("src/env.ts#none", variables), "src/env.ts#none cannot be used");
});

test("plugins and their child processes do not store code in the package", async () => {
  project.write("svc.config.ts", "export default {};\n");
  await buildProject(project.folder);
  const packageCode = join(packageRoot(), "dist", ".code");
  const otherCode = join(project.folder, "code");
  for (const [folder, value] of [
    [packageCode, "none"],
    [otherCode, otherCode],
  ] as const) {
    const env = { ...process.env, NODE_COMPILE_CACHE: folder };
    const server = await started([SVC, "serve", project.folder, "--port", "0"], env);
    for (const name of ["cache", "cacheInline"]) {
      const { json } = await get(server.port, `/svc/plugin/${name}`);
      assert.is(json.response, value, name);
    }
    await server.stop();
  }
});

test.run();
