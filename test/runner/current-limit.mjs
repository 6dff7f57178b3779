// Time limit of the tests of the file that runs now. A file asks for more in its header comment:
// `// limit: 60 s`.

const DEFAULT_LIMIT_MS = 10_000;
let limitMs = DEFAULT_LIMIT_MS;

export function currentLimitMs() {
  return limitMs;
}

export function setLimitFrom(source) {
  const asked = /^\/\/ limit: (\d+) s$/m.exec(source);
  limitMs = asked === null ? DEFAULT_LIMIT_MS : Number(asked[1]) * 1000;
}
