// Code used only by tests: exported values and class members whose names occur nowhere in the
// product except at their declaration. The public API and modules found by folder are exempt.
// limit: 120 s
// takes 5 s

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ts } from "ts-morph";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { PublicApi } from "./support/public-api.js";
import { parse, ROOT, readExports, sourceFiles } from "./support/source-files.js";

interface Declared {
  readonly path: string;
  readonly line: number;
  readonly name: string;
}

const test = suite("dead code");
const WORD = /[A-Za-z_$][\w$]*/g;

/** Clients are libraries, too; our own compiler finds built-in plugins. */
const FOUND_OTHERWISE = /^(client|runtime\/builtin\/(graph-)?plugins)\//;

/** Code that is tested before its caller exists, with the future caller. */
const AWAITED: Readonly<Record<string, string>> = {
  descriptorHash: "nodes of one system compare their descriptors by it",
};

const sources = sourceFiles().filter(
  ({ path }) => /\.(tsx?|mjs|cjs)$/.test(path) && !path.startsWith("test/"),
);
const product = sources.filter(
  ({ path }) => /^(argspec|cli|compiler|console|runtime)\//.test(path) && /\.tsx?$/.test(path),
);

/**
 * Returns every name of the code, and every word of its strings, since some of them become code;
 * yields class members that others may call, the getter for a pair of accessors.
 */
function* listMembers(
  path: string,
  tree: ts.SourceFile,
  word: (word: string) => void,
): Generator<Declared> {
  const rest: ts.Node[] = [tree];
  for (let node = rest.pop(); node !== undefined; node = rest.pop()) {
    if (ts.isIdentifier(node)) word(node.text);
    else if (isText(node)) for (const match of node.text.match(WORD) ?? []) word(match);
    for (const member of ts.isClassLike(node) ? node.members : []) {
      const { name, kind } = member;
      if (name === undefined || !ts.isIdentifier(name) || kind === ts.SyntaxKind.SetAccessor)
        continue;
      // Its base class calls it.
      if (ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Override) continue;
      const line = tree.getLineAndCharacterOfPosition(name.end).line + 1;
      yield { path, line, name: name.text };
    }
    ts.forEachChild(node, (child) => void rest.push(child));
  }
}

function isText(node: ts.Node): node is ts.LiteralLikeNode {
  const isPart = ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
  return isPart || ts.isLiteralExpression(node);
}

/** Names of the public API: of the last release, and of the current build. */
function publicNames(): Set<string> {
  const golden = readFileSync(join(ROOT, "test/golden/public-api.txt"), "utf8");
  const built = existsSync(join(ROOT, "dist/types")) ? new PublicApi(ROOT).lines() : [];
  return new Set([golden, ...built].flatMap((text) => text.match(WORD) ?? []));
}

test("the product has no code used only by tests", () => {
  const counts = new Map<string, number>();
  const count = (word: string): void => void counts.set(word, (counts.get(word) ?? 0) + 1);
  const checked = new Set(product.map(({ path }) => path));
  const declared = sources.flatMap((file): Declared[] => {
    const { path } = file;
    const tree = parse(file);
    const members = [...listMembers(path, tree, count)];
    if (!checked.has(path) || FOUND_OTHERWISE.test(path)) return [];
    return [...members, ...readExports(tree).map(({ name, line }) => ({ path, line, name }))];
  });
  assert.ok(declared.length > 1000, "declarations are found");
  const declarations = new Map<string, number>();
  for (const { name } of declared) declarations.set(name, (declarations.get(name) ?? 0) + 1);
  const offered = publicNames();
  const dead = declared.filter(
    ({ name }) =>
      !offered.has(name) &&
      !Object.hasOwn(AWAITED, name) &&
      counts.get(name)! <= declarations.get(name)!,
  );
  assert.is(dead.map(({ path, line, name }) => `${path}:${line}: ${name}`).join("\n"), "");
});

test.run();
