// A server decodes each query as the client encoded it: random parameters of every wire form.
// Repeat a failed run with SEED=n; ROUNDS=n makes it longer.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Wire } from "../../argspec/wire.js";
import { buildRequest } from "../../client/typescript/request.js";
import { hasValue } from "../../runtime/plugin/contract/query-text.js";
import {
  createParamReader,
  type ParamReader,
  parseParams,
} from "../../runtime/plugin/request/query-values.js";
import { rounds } from "../support/rounds.js";
import { Random, SEED } from "./support/random.js";

const ROUNDS = rounds(3000);
const WIRES: readonly Wire[] = ["int", "float", "str", "bytes", "json"];
const TEXT = [
  "a",
  " ",
  "+",
  "&",
  "=",
  "%",
  "%41",
  "#",
  "?",
  "/",
  "é",
  "\u{1f600}",
  "\0",
  "\n",
  '"',
  "(int)5",
];

const test = suite("client query");

test("is decoded by the server as it was passed", () => {
  const random = new Random();
  for (let round = 0; round < ROUNDS; round++) {
    const wires: Record<string, Wire> = Object.create(null);
    const params: Record<string, unknown> = Object.create(null);
    for (let count = random.below(6); count > 0; count--) {
      const name = random.below(8) === 0 ? "__proto__" : `${randomText(random)}x`;
      wires[name] = random.of(WIRES);
      params[name] = randomValue(random, wires[name]);
    }
    const json = Object.keys(wires).filter((name) => wires[name] === "json");
    const { url } = buildRequest("", { path: "/", json }, params, {});
    const query = url.slice("/?".length);
    assert.match(query, /^[!-~]*$/);
    const read = parseParams(query, makeReaders(wires));
    const label = `seed ${SEED}, round ${round}: ${url}`;
    assert.equal(Object.keys(read), Object.keys(params), label);
    for (const [name, value] of Object.entries(params)) {
      const actual =
        read[name] instanceof Uint8Array ? [...(read[name] as Uint8Array)] : read[name];
      assert.equal(actual, value instanceof Uint8Array ? [...value] : value, label);
    }
  }
});

/** Those of nullable types. */
function makeReaders(wires: Readonly<Record<string, Wire>>): Record<string, ParamReader> {
  const readers: Record<string, ParamReader> = Object.create(null);
  for (const [name, wire] of Object.entries(wires)) {
    const read = createParamReader(name, wire);
    readers[name] = (query, equals) => (hasValue(query, equals) ? read(query, equals) : null);
  }
  return readers;
}

function randomText(random: Random): string {
  return random.list(5, () => random.of(TEXT)).join("");
}

function randomValue(random: Random, wire: Wire): unknown {
  if (wire !== "json" && random.below(8) === 0) return null;
  if (wire === "int") return random.below(2 ** 31) * random.of([1, -1, 1000]);
  if (wire === "float") return (random.below(2 ** 31) - 2 ** 30) / random.of([1, 3, 1e6, 1e20]);
  if (wire === "str") return randomText(random);
  if (wire === "bytes") return Uint8Array.from(random.list(9, () => random.below(256)));
  const leaf = () => random.of<unknown>([null, true, random.below(99) / 7, randomText(random)]);
  return random.of([leaf(), random.list(3, leaf), { [`${randomText(random)}k`]: leaf() }]);
}

test.run();
