// The key that signs cursors. It must be the same for all executors, for all replicas behind a load
// balancer, and after a restart. So it is derived from the shared key of the system, or else stored
// in the data folder.

import { createHmac, randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const FILE = "cursor.key";
const KEY_BYTES = 32;
const PURPOSE = "svc cursors";

/** Source of the key in this thread. */
export interface CursorKeySource {
  /** Data folder. */
  readonly root: string;
  /** Key that all instances of a system share; null: none. */
  readonly sharedKey: string | null;
}

let source: CursorKeySource | null = null;
let key: Buffer | null = null;

export function setCursorKeySource(keySource: CursorKeySource): void {
  source = keySource;
  key = null;
}

/** Returns the key; a program without a server has a random one. */
export function cursorKey(): Buffer {
  key ??= loadKey();
  return key;
}

function loadKey(): Buffer {
  if (source === null) return randomBytes(KEY_BYTES);
  const { root, sharedKey } = source;
  if (sharedKey !== null) return createHmac("sha256", sharedKey).update(PURPOSE).digest();
  const file = join(root, FILE);
  try {
    mkdirSync(root, { recursive: true });
    // Fails if another executor has created the file.
    writeFileSync(file, randomBytes(KEY_BYTES), { flag: "wx", mode: 0o600, flush: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  const stored = readFileSync(file);
  if (stored.length === KEY_BYTES) return stored;
  throw new Error(`${file} must have ${KEY_BYTES} bytes: delete it to get another key`);
}
