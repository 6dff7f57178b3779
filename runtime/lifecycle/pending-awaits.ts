// Where the modules of a build wait at their top level: what to look at when they never come to an
// end. Nothing tells which of several it is.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { BUILD_FOLDER } from "../base/build-folder.js";
import { sourceLocation } from "../plugin/contract/traceback.js";

const MODULES_FILE = "modules.js";
const MOST = 5;
/** The bundler indents whatever is not at the top level. */
const AWAIT = /^(?![\s/]|(?:async )?function\b|class\b)((?!=>).)*?\bawait\b/;

/** What does not settle, in words that name places in the sources. */
export function pendingTopLevelAwaits(projectDir: string): string {
  const places = awaitPlaces(join(projectDir, BUILD_FOLDER, MODULES_FILE));
  const [first, ...others] = places.slice(0, MOST);
  if (first === undefined) return "an `await` at the top level of a module does not settle";
  return others.length === 0
    ? `${first}: the \`await\` at the top level does not settle`
    : `one of these \`await\`s at the top level does not settle: ${[first, ...others].join(", ")}`;
}

function awaitPlaces(bundle: string): string[] {
  let text: string;
  try {
    text = readFileSync(bundle, "utf8");
  } catch {
    // A newer build is just taking its place.
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
