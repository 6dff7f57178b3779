// Makes console/font/inter.woff2: Inter with Latin-1, arrows up and down, and weights 400 to 700.
// Needed only for another version of the font:
//
//   npm install --no-save @fontsource-variable/inter@5.3.0 subset-font@2.9.0
//   node scripts/console-font.mjs

import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import subsetFont from "subset-font";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const source = join(root, "node_modules/@fontsource-variable/inter");
const ranges = [
  [0x20, 0x7e],
  [0xa0, 0xff],
];
const letters = ranges.flatMap(([from, to]) =>
  Array.from({ length: to - from + 1 }, (_, at) => String.fromCodePoint(from + at)),
);
const font = await subsetFont(
  readFileSync(join(source, "files/inter-latin-wght-normal.woff2")),
  `${letters.join("")}–—‘’“”…•↑↓−€`,
  { targetFormat: "woff2", variationAxes: { wght: { min: 400, max: 700 } } },
);
writeFileSync(join(root, "console/font/inter.woff2"), font);
writeFileSync(join(root, "console/font/LICENSE.txt"), readFileSync(join(source, "LICENSE")));
