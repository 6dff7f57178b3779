// Time limit of the tests of the running file, and the filter by title. A file requests more in its
// header comment: `// limit: 60 s`. Only broken tests reach a limit; on a loaded machine everything
// takes several times as long.

const DEFAULT_LIMIT_MS = 30_000;
/** Repeated tests take longer: see support/rounds.ts. */
const FACTOR = Math.max(1, Number(process.env.ROUNDS ?? 1));
let limitMs = DEFAULT_LIMIT_MS;
let name = "";

export function currentLimitMs() {
  return limitMs;
}

export function setLimitFrom(source) {
  const limitLine = /^\/\/ limit: (\d+) s$/m.exec(source);
  limitMs = (limitLine === null ? DEFAULT_LIMIT_MS : Number(limitLine[1]) * 1000) * FACTOR;
}

/** @param text required in the title of a test */
export function setName(text) {
  name = text;
}

export function isWanted(title) {
  return title.includes(name);
}
