// Keeps a second process from writing to the same root: a file that names the process which does.

import { InternalError } from "../errors.js";

export interface RootLock {
  /** Lets others write to the root. Safe to call twice. */
  release(): void;
}

/**
 * Takes the right to write to a root.
 * @throws DataError another process has it; the text names process and file
 */
export function lockRoot(_root: string): RootLock {
  throw new InternalError("not written");
}
