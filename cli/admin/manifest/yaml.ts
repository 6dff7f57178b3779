// Plain data as YAML, which people will read and change. Texts that could be taken for anything
// else are quoted as JSON has it, which is YAML, too.

const PLAIN = /^[A-Za-z/][\w ./@-]*$/;
/** Lines that stay what they are when they are written as such. */
const BLOCK = /^(?=\S)[\x20-\x7e]*[\x21-\x7e](?:\n[\x20-\x7e]*[\x21-\x7e])+$/;
const WORDS = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

export function toYaml(value: unknown): string {
  return `${lines(value).join("\n")}\n`;
}

function lines(value: unknown): string[] {
  if (Array.isArray(value)) {
    return value.flatMap((item) => {
      const [first = "", ...rest] = isNested(item) ? lines(item) : [scalar(item)];
      return [`- ${first}`, ...rest.map((line) => `  ${line}`)];
    });
  }
  return Object.entries(value as object).flatMap(([key, item]) => {
    const name = scalar(key);
    if (typeof item === "string" && BLOCK.test(item)) {
      return [`${name}: |-`, ...item.split("\n").map((line) => `  ${line}`)];
    }
    if (!isNested(item)) return [`${name}: ${scalar(item)}`];
    return [`${name}:`, ...lines(item).map((line) => `  ${line}`)];
  });
}

function isNested(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

function scalar(value: unknown): string {
  const isPlain =
    typeof value === "string" &&
    PLAIN.test(value) &&
    !WORDS.test(value) &&
    value.trimEnd() === value;
  return isPlain ? value : JSON.stringify(value);
}
