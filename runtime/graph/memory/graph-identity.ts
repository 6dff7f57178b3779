// 16-byte identity that distinguishes a graph from a later one created under the same name.

import { createHash, randomBytes } from "node:crypto";
import type { GraphMemory } from "./graph-memory.js";
import { Header, IDENTITY_WORDS } from "./layout.js";

/** The header of a graph, in memory or from a file. */
interface HasWords {
  readonly words: Uint32Array;
}

const BYTES = IDENTITY_WORDS * 4;
const NONE = "0".repeat(BYTES * 2);

/** Returns the identity of a new graph. */
export function newIdentity(): string {
  return randomBytes(BYTES).toString("hex");
}

/** Returns a deterministic identity for a graph whose snapshots predate identities. */
export function legacyIdentity({ name, header }: GraphMemory): string {
  const createdAt = header.words[Header.CreatedAt]!;
  const hash = createHash("sha256").update(`${createdAt} ${name}`).digest("hex");
  return hash.slice(0, BYTES * 2);
}

/** Returns the identity as 32 hexadecimal digits; null if it has none. */
export function readIdentity({ header }: { readonly header: HasWords }): string | null {
  const bytes = Buffer.alloc(BYTES);
  for (let word = 0; word < IDENTITY_WORDS; word++) {
    bytes.writeUInt32LE(header.words[Header.Identity + word]!, word * 4);
  }
  const identity = bytes.toString("hex");
  return identity === NONE ? null : identity;
}

/** Sets the identity. Call it before another thread can see the graph. */
export function setIdentity({ header }: GraphMemory, identity: string): void {
  const bytes = Buffer.from(identity, "hex");
  for (let word = 0; word < IDENTITY_WORDS; word++) {
    header.words[Header.Identity + word] = bytes.readUInt32LE(word * 4);
  }
}
