// Support modules of the end-to-end tests, transpiled as for a test run.

import { pathToFileURL } from "node:url";
import { transpileSources } from "../../test/runner/transpile.mjs";
import { transpiledFile } from "../../test/runner/transpiled.mjs";

/**
 * Returns the exports of several modules, merged.
 * @param {...string} names in `test/e2e/support`
 */
export async function importTestSupport(...names) {
  await transpileSources();
  const files = names.map((name) => transpiledFile(`test/e2e/support/${name}.ts`));
  const modules = await Promise.all(files.map((file) => import(pathToFileURL(file).href)));
  return Object.assign({}, ...modules);
}
