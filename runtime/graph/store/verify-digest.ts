// The digest of a graph from nothing but what it contains: for graphs that were stored without one,
// and for whoever does not believe the one that is kept.

import { Header } from "../memory/layout.js";
import { DIGEST_VERSION, DIGEST_WORDS, digestText } from "./content-digest.js";
import type { GraphStore } from "./graph-store.js";

const ATTEMPTS = 10_000;

/** With the mutex: the sums of all that there is. */
export function computeDigest(store: GraphStore): Uint32Array {
  const { digest, vertices, outArcs, properties, vectors } = store;
  return digest.measure(() => {
    for (let vertex = 1; vertex < vertices.end; vertex++) {
      if (!vertices.isUsed(vertex)) continue;
      if (vertices.isReal(vertex)) digest.vertex(1, vertex, vertices.typeOf(vertex));
      for (let place = outArcs.degree(vertex) - 1; place >= 0; place--) {
        const word1 = outArcs.word1At(vertex, place);
        digest.arc(
          1,
          vertex,
          outArcs.otherAt(vertex, place),
          word1,
          outArcs.valueAt(vertex, place),
        );
      }
      properties.tell(vertex);
      vectors.tell(vertex);
    }
  });
}

/** Takes the mutex: false if the sums that are kept are not those of what there is. */
export function verifyDigest(store: GraphStore): boolean {
  const { writer, digest } = store;
  const { header } = store.memory;
  if (!digest.isKept) return true;
  writer.beginReading();
  try {
    return computeDigest(store).every((sum, word) => header.words[Header.Digest + word] === sum);
  } finally {
    writer.end();
  }
}

/** Of a graph that was just loaded: its digest is right from then on, or known not to be kept. */
export function storeDigest(store: GraphStore): void {
  const { writer, digest } = store;
  const { header } = store.memory;
  const version = digest.isKept ? DIGEST_VERSION : 0;
  if (header.words[Header.DigestVersion] === version) return;
  writer.mutate(() => {
    const sums = version === 0 ? new Uint32Array(DIGEST_WORDS) : computeDigest(store);
    for (const [word, sum] of sums.entries()) writer.put(header, Header.Digest + word, sum);
    writer.put(header, Header.DigestVersion, version);
  });
}

/** How far a graph has come, and what it contains there. */
export interface DigestCheckpoint {
  readonly count: number;
  readonly digest: string;
}

/**
 * Takes no lock: whoever writes may do so for long.
 * @returns null where none is kept, or it was changed all the time
 */
export function digestCheckpoint({ memory, digest }: GraphStore): DigestCheckpoint | null {
  const { ints } = memory.header;
  if (!digest.isKept) return null;
  const read = (word: number): number => Atomics.load(ints, word) >>> 0;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if ((read(Header.Mutex) | read(Header.Unfinished)) !== 0) continue;
    const low = read(Header.OperationCount);
    const high = read(Header.OperationCountHigh);
    const sums = Uint32Array.from({ length: DIGEST_WORDS }, (_, word) =>
      read(Header.Digest + word),
    );
    // Whoever had the mutex meanwhile has counted what it did.
    const isSame = read(Header.Mutex) === 0 && read(Header.OperationCount) === low;
    if (isSame) return { count: low + high * 2 ** 32, digest: digestText(sums) };
  }
  return null;
}
