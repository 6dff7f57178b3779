// Reads text files that users write.

import { readFileSync } from "node:fs";

/** Returns the text without the byte order mark with which editors of Windows begin a file. */
export function readText(file: string): string {
  return readFileSync(file, "utf8").replace(/^\uFEFF/, "");
}
