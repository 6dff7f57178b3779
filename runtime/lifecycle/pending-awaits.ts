// Finds top-level `await`s in a build's modules, the likely cause when loading never completes.
// Which of several is pending cannot be determined.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { BUILD_FOLDER } from "../base/build-folder.js";
import { sourceLocation } from "../plugin/contract/stack-trace.js";

const MODULES_FILE = "modules.js";
const MAX_LOCATIONS = 5;
/** The bundler indents everything below the top level. */
const AWAIT = /^(?![\s/]|(?:async )?function\b|class\b)((?!=>).)*?\bawait\b/;

/** Returns a message that names the source locations of top-level awaits. */
export function pendingTopLevelAwaits(projectDir: string): string {
  const locations = findTopLevelAwaits(join(projectDir, BUILD_FOLDER, MODULES_FILE));
  const [first, ...others] = locations.slice(0, MAX_LOCATIONS);
  if (first === undefined) return "a module loads slowly, or its top-level `await` does not settle";
  return others.length === 0
    ? `${first}: top-level await does not settle`
    : `one of these \`await\`s at the top level does not settle: ${[first, ...others].join(", ")}`;
}

function findTopLevelAwaits(bundle: string): string[] {
  let text: string;
  try {
    text = readFileSync(bundle, "utf8");
  } catch {
    // A newer build is replacing it.
    return [];
  }
  const url = pathToFileURL(bundle).href;
  return text.split("\n").flatMap((line, index) => {
    const found = AWAIT.exec(line);
    if (found === null) return [];
    const column = found[0].length - "await".length + 1;
    return sourceLocation(url, index + 1, column) ?? [];
  });
}
