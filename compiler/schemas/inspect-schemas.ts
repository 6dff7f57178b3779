// Reads the JSON Schema of a project's schemas, if their library provides it
// (`~standard.jsonSchema`): the types of schemas do not contain their constraints. Runs in a child
// process, with only those parts of the plugin modules that the schemas need.

import { fork } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { removeStaleOutput } from "../stale-output.js";

const LEFTOVERS = /^\.svc-schemas\.(\d+)\.\w+\.mjs$/;

/** Time limit for loading the modules of the schemas. */
const LOAD_MS = 15_000;

/** Code appended to the bundle, which reads its `schemas`. */
const INSPECTION = `
const answers = schemas.map((schema) => {
  const ask = schema?.["~standard"]?.jsonSchema?.input;
  if (typeof ask !== "function") return null;
  const target = "draft-2020-12";
  for (const libraryOptions of [{ unrepresentable: "any" }, undefined]) {
    try {
      return JSON.stringify(ask({ target, libraryOptions }));
    } catch {}
  }
  return null;
});
process.send(answers, () => process.exit(0));
`;

export interface InspectedSchemas {
  /** JSON Schema of each schema; null if its library does not provide it. */
  readonly schemas: readonly unknown[];
  /** Reason that no schema could be read; null on success. */
  readonly fault: string | null;
}

/**
 * Reads the JSON Schemas of a bundle.
 * @param code bundle that exports `schemas`
 * @param count number of schemas
 */
export async function inspectSchemas(
  projectDir: string,
  code: string,
  count: number,
): Promise<InspectedSchemas> {
  removeStaleOutput(projectDir, LEFTOVERS);
  // In the folder of the project, so that imports of packages resolve.
  const name = `.svc-schemas.${process.pid}.${Date.now().toString(36)}.mjs`;
  const file = join(projectDir, name);
  try {
    writeFileSync(file, `${code}\n${INSPECTION}`);
    const texts = await run(file);
    return { schemas: texts.slice(0, count).map(parseJson), fault: null };
  } catch (error) {
    return { schemas: [], fault: (error as Error).message };
  } finally {
    rmSync(file, { force: true });
  }
}

function parseJson(text: unknown): unknown {
  try {
    return typeof text === "string" ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}

function run(file: string): Promise<readonly unknown[]> {
  return new Promise((resolve, reject) => {
    const child = fork(file, { stdio: ["ignore", "ignore", "pipe", "ipc"], execArgv: [] });
    let stderr = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      if (stderr.length < 4000) stderr += text;
    });
    const timer = setTimeout(() => child.kill("SIGKILL"), LOAD_MS);
    child.on("message", (answers) => resolve(Array.isArray(answers) ? answers : []));
    child.on("error", reject);
    child.on("close", () => {
      clearTimeout(timer);
      reject(
        new Error(/^\w*Error.*$/m.exec(stderr)?.[0] ?? "the schema modules did not finish loading"),
      );
    });
  });
}
