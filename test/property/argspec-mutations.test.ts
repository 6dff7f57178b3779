// Reading any mutation of an argspec yields a normalized argspec that reads the same again, or an
// SvcError. The seed is printed and repeats the run as SEED=n, ROUNDS=n runs more.

import { readFileSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { BUILTINS } from "../../argspec/builtins.js";
import { contractHash } from "../../argspec/hash.js";
import { listOperations } from "../../argspec/operations.js";
import { readArgspec } from "../../argspec/read-argspec.js";
import { selectPlugin } from "../../argspec/select.js";
import { SvcError } from "../../runtime/base/errors.js";
import { rounds } from "../support/rounds.js";
import { Random, SEED } from "./support/random.js";

type Node = Record<string, unknown>;

const ROUNDS = rounds(1500);
const GOLDEN = readFileSync(new URL("../golden/emit/argspec.json", import.meta.url), "utf8");
const DOCUMENTS = [GOLDEN, JSON.stringify(BUILTINS)];
const KEYS = ["__proto__", "constructor", "toString", "$ref", "tsType", "anyOf", "0", "default"];
const VALUES: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1, 2.5, 1e308, "", "a", "x\n", "#/$defs/A", "*/ `"],
  ...["__proto__", "constructor", "query", "body", "json", "engine"],
];

const test = suite("mutated argspecs");

test("read as argspecs or throw an SvcError", () => {
  const random = new Random();
  let taken = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const document: unknown = JSON.parse(random.of(DOCUMENTS));
    const mutations = 1 + random.below(3);
    for (let n = 0; n < mutations; n++) mutate(random, document);
    const text = JSON.stringify(document);
    try {
      checkRead(document);
      taken++;
    } catch (error) {
      const isRefused = error instanceof SvcError && error.code === "SVC3015";
      if (!isRefused) console.error(`seed ${SEED}, round ${round}: ${text}`);
      assert.ok(isRefused, `seed ${SEED}, round ${round}: ${error}`);
    }
  }
  assert.ok(taken > ROUNDS / 10, `seed ${SEED}: only ${taken} were taken`);
  assert.ok(taken < ROUNDS * 0.9, `seed ${SEED}: ${taken} were taken`);
});

/** Reads a document and runs all generators on it. */
function checkRead(document: unknown): void {
  const argspec = readArgspec(document);
  assert.is(JSON.stringify(readArgspec(argspec)), JSON.stringify(argspec));
  assert.equal(contractHash(argspec).length, 64);
  for (const { name, path } of listOperations(argspec)) {
    assert.match(name, /^[A-Za-z_]\w*$/);
    assert.ok([`/svc/plugin/${name}`, `/svc/builtin/${name}`].includes(path), path);
    readArgspec(selectPlugin(argspec, name));
  }
}

/** Changes one place of a document. */
function mutate(random: Random, document: unknown): void {
  let node = document as Node;
  for (let steps = random.below(9); steps > 0; steps--) {
    const inner = Object.values(node).filter(
      (value) => typeof value === "object" && value !== null,
    );
    if (inner.length === 0) break;
    node = random.of(inner) as Node;
  }
  const keys = Object.keys(node);
  if (keys.length === 0 || random.below(5) === 0)
    return set(node, random.of(KEYS), value(random, 2));
  const key = random.of(keys);
  switch (random.below(4)) {
    case 0:
      if (Array.isArray(node)) node.splice(Number(key), 1);
      else delete node[key];
      break;
    case 1:
      set(node, random.of(KEYS), node[key]);
      break;
    case 2:
      set(node, key, node[random.of(keys)]);
      break;
    default:
      set(node, key, value(random, 3));
  }
}

/** Like a parser: `__proto__` becomes a plain key. */
function set(node: Node, key: string, value: unknown): void {
  const name = Array.isArray(node) ? String(node.length) : key;
  const renamedKey = Array.isArray(node) && /^\d+$/.test(key) ? key : name;
  Object.defineProperty(node, renamedKey, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  });
}

function value(random: Random, depth: number): unknown {
  const kind = depth === 0 ? 0 : random.below(4);
  if (kind === 1) return random.list(3, () => value(random, depth - 1));
  if (kind === 2) {
    const entries = random.list(3, () => [random.of(KEYS), value(random, depth - 1)]);
    return Object.fromEntries(entries);
  }
  return random.of(VALUES);
}

test.run();
