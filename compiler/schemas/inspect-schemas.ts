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

/** Code appended to the bundle: reads its `schemas`, and passes texts to those of objects. */
const INSPECTION = `
const rejectsText = (schema, text) => {
  try {
    const result = schema["~standard"].validate(text);
    if (result instanceof Promise) result.catch(() => {});
    return result.issues?.every(({ path }) => !path?.length) ?? false;
  } catch {
    return false;
  }
};
const isStructured = ({ type }) => type === "object" || type === "array";
const answers = schemas.map((schema) => {
  const ask = schema?.["~standard"]?.jsonSchema?.input;
  if (typeof ask !== "function") return [null, false];
  const target = "draft-2020-12";
  for (const libraryOptions of [{ unrepresentable: "any" }, undefined]) {
    try {
      const found = ask({ target, libraryOptions });
      const rejects = (text) => rejectsText(schema, text);
      return [JSON.stringify(found), isStructured(found) && ["", "{}", "[]"].every(rejects)];
    } catch {}
  }
  return [null, false];
});
process.send(answers, () => process.exit(0));
`;

export interface InspectedSchema {
  /** JSON Schema; null if the library does not provide it. */
  readonly jsonSchema: unknown;
  /** True for a schema of objects or arrays that does not convert text, as `z.preprocess` does. */
  readonly rejectsText: boolean;
}

export interface InspectedSchemas {
  readonly schemas: readonly InspectedSchema[];
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
    const results = (await run(file)) as readonly (readonly [unknown, boolean])[];
    const schemas = results.slice(0, count).map(([text, rejectsText]) => {
      return { jsonSchema: parseJson(text), rejectsText };
    });
    return { schemas, fault: null };
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
    child.on("message", (results) => resolve(Array.isArray(results) ? results : []));
    child.on("error", reject);
    child.on("close", () => {
      clearTimeout(timer);
      reject(
        new Error(/^\w*Error.*$/m.exec(stderr)?.[0] ?? "the schema modules did not finish loading"),
      );
    });
  });
}
