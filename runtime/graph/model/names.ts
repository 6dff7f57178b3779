// Names of relationships and types.

import { MAX_STRING } from "./constants.js";

const NAME = /^[A-Za-z][A-Za-z0-9_.#$%@]*$/;

/** Returns whether a name is valid for relationships and types. */
export function isName(name: string): boolean {
  return name.length <= MAX_STRING && NAME.test(name);
}
