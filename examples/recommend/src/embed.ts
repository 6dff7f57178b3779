// Embeds texts as vectors: by a small model if the package @huggingface/transformers is installed,
// else by hashed n-grams, which need no download and make words with a common stem similar.

/** Returns a vector for each text. */
export type Embed = (texts: readonly string[]) => Promise<number[][]>;

const PACKAGE = "@huggingface/transformers";
const MODEL = "Xenova/all-MiniLM-L6-v2";
/** As many as that model has. */
export const COMPONENTS = 384;
const GRAM = 4;

interface Transformers {
  pipeline(
    task: "feature-extraction",
    model: string,
  ): Promise<(texts: string[], options: object) => Promise<{ tolist(): number[][] }>>;
}

let embed: Promise<Embed> | null = null;

/** Returns the function that embeds texts in this process. */
export function findEmbed(): Promise<Embed> {
  embed ??= loadModel().catch((error: unknown) => {
    // A download can fail; the next call tries again.
    embed = null;
    throw error;
  });
  return embed;
}

async function loadModel(): Promise<Embed> {
  let transformers: Transformers;
  try {
    transformers = (await import(PACKAGE)) as Transformers;
  } catch (error) {
    // A package that is installed, but does not load, must not go unnoticed.
    if (!isMissing(error)) throw error;
    return async (texts) => texts.map(embedGrams);
  }
  const extract = await transformers.pipeline("feature-extraction", MODEL);
  return async (texts) => {
    return (await extract([...texts], { pooling: "mean", normalize: true })).tolist();
  };
}

/** Returns whether the package itself is missing, not one that it needs. */
function isMissing(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === "ERR_MODULE_NOT_FOUND" && message.includes(`'${PACKAGE}'`);
}

/** Returns the sum of a signed unit per n-gram of the words, at the position of its hash. */
export function embedGrams(text: string): number[] {
  const sums = new Array<number>(COMPONENTS).fill(0);
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) {
    const padded = `<${word}>`;
    for (let at = 0; at + GRAM <= Math.max(GRAM, padded.length); at++) {
      const hash = hashText(padded.slice(at, at + GRAM));
      const component = (hash >>> 1) % COMPONENTS;
      sums[component] = (sums[component] ?? 0) + (hash & 1 ? 1 : -1);
    }
  }
  return sums;
}

/** FNV-1a, with a last step that spreads the bits. */
function hashText(text: string): number {
  let hash = 0x811c_9dc5;
  for (const character of text) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x0100_0193);
  }
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b_3c6d) >>> 0;
}
