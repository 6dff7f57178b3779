// Time limit of the tests of the file that runs now, and which of them are wanted. A file asks for
// more in its header comment: `// limit: 60 s`. Nothing waits for a limit but what is broken; on a
// busy machine everything takes several times as long.

const DEFAULT_LIMIT_MS = 30_000;
let limitMs = DEFAULT_LIMIT_MS;
let name = "";

export function currentLimitMs() {
  return limitMs;
}

export function setLimitFrom(source) {
  const asked = /^\/\/ limit: (\d+) s$/m.exec(source);
  limitMs = asked === null ? DEFAULT_LIMIT_MS : Number(asked[1]) * 1000;
}

/** @param text that a title must have for its test to run */
export function setName(text) {
  name = text;
}

export function isWanted(title) {
  return title.includes(name);
}
