// Compares text with a file of this folder. `UPDATE_GOLDEN=1` writes the files anew; the change
// then shows in the diff, where it must be judged.

import { readFileSync, writeFileSync } from "node:fs";
import * as assert from "uvu/assert";

/**
 * @param name path below this folder
 * @param remedy printed behind the name when the texts differ
 */
export function matchesGolden(name: string, text: string, remedy = ""): void {
  const file = new URL(name, import.meta.url);
  if (process.env["UPDATE_GOLDEN"] === "1") {
    writeFileSync(file, text);
  }
  assert.fixture(text, readFileSync(file, "utf8"), `${name} ${remedy}`.trim());
}
