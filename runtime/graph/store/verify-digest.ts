// Computes the digest of a graph from its contents: for graphs stored without one, and to verify
// the maintained one.

import { Header } from "../memory/layout.js";
import { DIGEST_VERSION, DIGEST_WORDS, digestText } from "./content-digest.js";
import type { GraphStore } from "./graph-store.js";

const ATTEMPTS = 10_000;

/** Returns the digest of the current contents. Requires the mutex. */
export function computeDigest(store: GraphStore): Uint32Array {
  const { digest, vertices, outArcs, properties } = store;
  const tables = store.vectorFields.all();
  return digest.measure(() => {
    for (let vertex = 1; vertex < vertices.end; vertex++) {
      if (!vertices.isUsed(vertex)) continue;
      if (vertices.isReal(vertex)) digest.vertex(1, vertex, vertices.typeOf(vertex));
      for (let position = outArcs.degree(vertex) - 1; position >= 0; position--) {
        const word1 = outArcs.word1At(vertex, position);
        digest.arc(
          1,
          vertex,
          outArcs.otherAt(vertex, position),
          word1,
          outArcs.valueAt(vertex, position),
        );
      }
      properties.addToDigest(vertex);
      for (const table of tables) table.addToDigest(vertex);
    }
  });
}

/** Returns false if the maintained digest does not match the contents. Takes the mutex. */
export function verifyDigest(store: GraphStore): boolean {
  const { writer, digest } = store;
  const { header } = store.memory;
  if (!digest.isMaintained) return true;
  writer.beginReading();
  try {
    return computeDigest(store).every((sum, word) => header.words[Header.Digest + word] === sum);
  } finally {
    writer.end();
  }
}

/** Stores the digest of a graph just loaded, or marks it as not maintained. */
export function storeDigest(store: GraphStore): void {
  const { writer, digest } = store;
  const { header } = store.memory;
  const version = digest.isMaintained ? DIGEST_VERSION : 0;
  if (header.words[Header.DigestVersion] === version) return;
  writer.mutate(() => {
    const sums = version === 0 ? new Uint32Array(DIGEST_WORDS) : computeDigest(store);
    for (const [word, sum] of sums.entries()) writer.put(header, Header.Digest + word, sum);
    writer.put(header, Header.DigestVersion, version);
  });
}

/** Operation count of a graph and the digest of its contents there. */
export interface DigestCheckpoint {
  readonly count: number;
  readonly digest: string;
}

/**
 * Returns the digest checkpoint. Takes no lock, because a writer may hold it for long.
 * @returns null if the digest is not maintained, or the graph changed all the time
 */
export function digestCheckpoint({ memory, digest }: GraphStore): DigestCheckpoint | null {
  const { ints } = memory.header;
  if (!digest.isMaintained) return null;
  const read = (word: number): number => Atomics.load(ints, word) >>> 0;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if ((read(Header.Mutex) | read(Header.Unfinished)) !== 0) continue;
    const low = read(Header.OperationCount);
    const high = read(Header.OperationCountHigh);
    const sums = Uint32Array.from({ length: DIGEST_WORDS }, (_, word) =>
      read(Header.Digest + word),
    );
    // A writer that held the mutex meanwhile has incremented the operation count.
    const isSame = read(Header.Mutex) === 0 && read(Header.OperationCount) === low;
    if (isSame) return { count: low + high * 2 ** 32, digest: digestText(sums) };
  }
  return null;
}
