// Seeded mutations of requests, in places where servers tend to differ in their interpretation.

const HOST = "Host: a\r\n";
const CHUNKS = "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nT: v\r\n\r\n";

const SEEDS: readonly string[] = [
  `GET /a?b=c HTTP/1.1\r\n${HOST}Accept: */*\r\n\r\n`,
  `POST /b HTTP/1.1\r\n${HOST}Content-Length: 5\r\n\r\nhello`,
  `POST /c HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n${CHUNKS}`,
  `GET /d HTTP/1.1\r\n${HOST}X-Long: ${"y".repeat(60)}\r\n\r\n`,
  `PUT /e HTTP/1.1\r\n${HOST}Content-Length: 11\r\n\r\nGET / HTTP/`,
];
const TOKENS: readonly string[] = [
  "\r\n",
  "\n",
  "\r",
  " ",
  "\t",
  ":",
  "0",
  "5",
  ",",
  ";",
  "\0",
  "\x80",
  "\r\n\r\n",
  "Content-Length: 3\r\n",
  "Transfer-Encoding: chunked\r\n",
  "Transfer-Encoding: gzip\r\n",
  "Content-Length : 3\r\n",
  "0\r\n\r\n",
  "HTTP/1.0",
  "chunked",
];

/** A small generator of numbers in [0, 1) (mulberry32). */
export function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4294967296;
  };
}

/** Two pipelined requests, mutated in one to three places. */
export function mutated(random: () => number): string {
  const pick = (list: readonly string[]): string => list[Math.floor(random() * list.length)]!;
  let text = pick(SEEDS) + pick(SEEDS);
  for (let count = 1 + Math.floor(random() * 3); count > 0; count--) {
    const offset = Math.floor(random() * text.length);
    const kind = random();
    if (kind < 0.4) text = text.slice(0, offset) + pick(TOKENS) + text.slice(offset);
    else if (kind < 0.6) text = text.slice(0, offset) + text.slice(offset + 1);
    else if (kind < 0.8) text = text.slice(0, offset) + pick(TOKENS) + text.slice(offset + 1);
    else {
      const length = Math.floor(random() * 20);
      text = text.slice(0, offset + length) + text.slice(offset);
    }
  }
  return text;
}
