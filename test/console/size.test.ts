// The built console: small enough to load at once over a slow line, and without ways to interpret
// foreign text as markup.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ROOT, sourceFiles } from "../support/source-files.js";

const MAX_COMPRESSED = 150 * 1024;
/** All files that the page itself names: those of the home page. */
const MAX_FIRST_VIEW = 90 * 1024;
/** Maximum growth of the package, which has each file in two codings. */
const MAX_WHOLE = 250 * 1024;

const test = suite("console build");
const folder = join(ROOT, "dist", "console");
const sizes = readdirSync(folder).map((name) => ({
  name,
  size: statSync(join(folder, name)).size,
}));
const sum = (list: typeof sizes): number => list.reduce((total, { size }) => total + size, 0);

test("fits the size budget", () => {
  const compressed = sum(sizes.filter(({ name }) => /\.(gz|woff2)$/.test(name)));
  assert.ok(compressed > 0 && compressed <= MAX_COMPRESSED, `${compressed} bytes`);
  const whole = sum(sizes);
  assert.ok(whole <= MAX_WHOLE, `${whole} bytes`);
});

test("loads only the home page and the frame for the first view", () => {
  const page = gunzipSync(readFileSync(join(folder, "index.html.gz"))).toString();
  const named = [...page.matchAll(/svc\/console\/([\w.-]+)"/g)].map(([, name]) => name!);
  assert.is(named.length, 5);
  const parts = ["index.html", ...named].map((name) =>
    sizes.find((file) => file.name === name || file.name === `${name}.gz`),
  );
  const size = parts.reduce((total, part) => total + part!.size, 0);
  assert.ok(size <= MAX_FIRST_VIEW, `${size} bytes`);
});

test("contains no source that inserts markup", () => {
  const ways = /dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|document\.write/;
  const sources = sourceFiles().filter(({ path }) => path.startsWith("console/"));
  assert.ok(sources.length > 10);
  const offenders = sources.filter(({ text }) => ways.test(text)).map(({ path }) => path);
  assert.equal(offenders, []);
});

test.run();
