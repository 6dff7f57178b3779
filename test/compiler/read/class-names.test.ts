// Class names in bundles: those of the sources, also in messages of the engine.

import { build } from "esbuild";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { restoreClassNames } from "../../../compiler/read/class-names.js";

const test = suite("class names");

const SOURCES: Record<string, string> = {
  first: `
    export class Shop { static it = new Shop(); #open = true; ask(other) { return other.#open; } }`,
  second: `
    import { Shop as Base } from "first";
    class Shop { static it = new Shop(); static text = \`_Shop \${Shop.name}\`; Shop = "_Shop"; }
    export { Shop as Second };
    export class Mixed extends Base { static Shop = Base; static of() { return new Mixed(); } }`,
  third: `
    import { Shop as Base } from "first";
    class Shop extends Base { static it = new Shop(); }
    class NotFound extends Error { at = { _NotFound: 1 }; }
    export { Shop as Third, NotFound };`,
  fourth: "export class NotFound extends Error {} export class Größe { static neu = new Größe(); }",
  nameless: "export default class { static it = new this(); }",
  entry: `
    export { default as Nameless } from "nameless";
    export { Shop } from "first";
    export * from "second";
    export * from "third";
    export { NotFound as Other, Größe } from "fourth";`,
};

async function bundled(options: { minify?: boolean; keepNames?: boolean } = {}): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: ["entry"],
    bundle: true,
    write: false,
    format: "esm",
    charset: "utf8",
    keepNames: options.keepNames ?? true,
    minifyWhitespace: options.minify ?? false,
    minifySyntax: options.minify ?? false,
    plugins: [
      {
        name: "sources",
        setup(build) {
          build.onResolve({ filter: /./ }, ({ path }) => ({ path, namespace: "sources" }));
          build.onLoad({ filter: /./, namespace: "sources" }, ({ path }) => ({
            contents: SOURCES[path]!,
          }));
        },
      },
    ],
  });
  return outputFiles[0]!.text;
}

/** Classes of the bundle, as far as the tests read them. */
type Name = "Nameless" | "Shop" | "Second" | "Third" | "Mixed" | "NotFound" | "Other" | "Größe";
interface LoadedClass extends Readonly<Record<string, unknown>> {
  new (): { readonly at: unknown };
  (): void;
  readonly it: Record<string, unknown> & { ask(other: object): boolean };
}

async function load(text: string): Promise<Record<Name, LoadedClass>> {
  return import(`data:text/javascript,${encodeURIComponent(text)}`);
}

const refusal = (callable: () => void): string => {
  try {
    callable();
  } catch (error) {
    return String(error);
  }
  return "none";
};

for (const minify of [false, true]) {
  const label = minify ? "minified" : "as it stands";
  test(`restore the name of a class that refers to itself (${label})`, async () => {
    const { Shop, Second, Mixed, NotFound, Other, Größe } = await load(
      restoreClassNames(await bundled({ minify })),
    );
    const printClass = (name: string) =>
      `TypeError: Class constructor ${name} cannot be invoked without 'new'`;
    const classes = { Shop, Second, Mixed, NotFound, Other, Größe };
    const names = Object.entries(classes).map(([key, made]) => [key, refusal(() => made())]);
    assert.equal(Object.fromEntries(names), {
      Shop: printClass("Shop"),
      Second: printClass("Shop"),
      Mixed: printClass("Mixed"),
      NotFound: printClass("NotFound"),
      Other: printClass("NotFound"),
      Größe: printClass("Größe"),
    });
    assert.match(
      refusal(() => Shop.it.ask({})),
      /read private member #open|class Shop$/,
    );
  });

  test(`do not affect strings, properties and other classes of that name (${label})`, async () => {
    const { Second, Third, Shop, Mixed, NotFound } = await load(
      restoreClassNames(await bundled({ minify })),
    );
    assert.is(Second.text, "_Shop Shop");
    assert.is(Second.it.Shop, "_Shop");
    assert.ok(Third.it instanceof Shop);
    assert.is(Mixed.Shop, Shop);
    assert.equal(new NotFound().at, { _NotFound: 1 });
  });
}

test("stay empty for unnamed classes", async () => {
  const { Nameless } = await load(restoreClassNames(await bundled()));
  assert.is(Nameless.name, "default");
});

test("are those of the variable without keepNames", async () => {
  const { Shop } = await load(restoreClassNames(await bundled({ keepNames: false })));
  assert.is(Shop.name, "Shop");
});

test("keep the number of lines, and the columns of replaced names", async () => {
  const text = await bundled();
  const restored = restoreClassNames(text);
  const [before, after] = [text.split("\n"), restored.split("\n")];
  assert.is(after.length, before.length);
  before.forEach((line, index) => {
    if (line.includes("class _")) assert.is(after[index]!.length, line.length);
  });
  assert.ok(before.some((line) => line.includes("class _")));
});

test("leave a bundle without renamed classes unchanged", () => {
  const text = "var A = class extends B {};\nclass _Own { static it = new _Own(); }\n";
  assert.is(restoreClassNames(text), text);
});

test.run();
