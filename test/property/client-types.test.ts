// Values that the schema of a type accepts are assignable to the generated client type. Random
// types, random values; the seed is printed when the TypeScript compiler disagrees.
// limit: 60 s

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { emitTypescriptTypes } from "../../argspec/typescript/client.js";
import { ShapeRule } from "../../compiler/check/shape-rule.js";
import { toJsonSchema } from "../../compiler/emit/json-schema.js";
import type { TypeShape, TypeTable } from "../../compiler/record/type-shape.js";
import { packageRoot } from "../../runtime/base/package-info.js";
import { makeArgspec } from "../argspec/sample-argspec.js";
import { rounds } from "../support/rounds.js";
import { Random, SEED } from "./support/random.js";
import { randomTypes, randomValue } from "./support/random-shapes.js";

const ROUNDS = rounds(20);
const VALUES = 40;

const test = suite("client types");

test("accept the values of their schemas", async () => {
  const random = new Random();
  const folder = mkdtempSync(join(tmpdir(), "svc-client-types-"));
  try {
    let accepted = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const types = withoutListsInRest(withoutObjectMembers(randomTypes(random)));
      writeFileSync(join(folder, `types${round}.d.ts`), await declarations(types));
      const assignments = Object.entries(types).flatMap(([name, shape]) =>
        acceptedValues(random, types, shape).map((json) => `taken<${name}>(${json});`),
      );
      accepted += assignments.length;
      writeFileSync(join(folder, `values${round}.ts`), program(round, types, assignments));
    }
    assert.ok(accepted > ROUNDS * 10, `seed ${SEED}: only ${accepted} values were right`);
    assert.is(compile(folder), "", `seed ${SEED}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** In TypeScript every object has these, whatever its own type declares. */
function withoutObjectMembers<T>(value: T): T {
  return JSON.parse(JSON.stringify(value).replaceAll('"toString"', '"with"'));
}

/**
 * TypeScript rejects types that refer to themselves in a list after `...`: plugins cannot have
 * them.
 */
function withoutListsInRest(types: TypeTable): TypeTable {
  return JSON.parse(JSON.stringify(types), (_, part) =>
    part?.kind === "tuple" && /array|tuple|union/.test(part.rest?.kind)
      ? { ...part, rest: { kind: "str" } }
      : part,
  );
}

function declarations(types: TypeTable): Promise<string> {
  const schemas = Object.entries(types).map(([name, shape]) => [name, toJsonSchema(shape)]);
  return emitTypescriptTypes(makeArgspec([], Object.fromEntries(schemas)));
}

/** As JSON. */
function acceptedValues(random: Random, types: TypeTable, shape: TypeShape): string[] {
  const values = Array.from({ length: VALUES }, () => randomValue(random, types, shape, 4));
  const right = values.map(withoutObjectMembers).filter((value) => fits(types, shape, value));
  return [...new Set(right.map((value) => JSON.stringify(value)))];
}

/** By the schemas; undeclared keys are rejected, as TypeScript does in literals. */
function fits(types: TypeTable, shape: TypeShape, value: unknown): boolean {
  switch (shape.kind) {
    case "ref":
      return fits(types, types[shape.name]!, value);
    case "union":
      return shape.members.some((member) => fits(types, member, value));
    case "array":
      return Array.isArray(value) && value.every((item) => fits(types, shape.items, item));
    case "tuple": {
      const { items, required, rest } = shape;
      const maxItems = rest === null ? items.length : Number.POSITIVE_INFINITY;
      if (!Array.isArray(value) || value.length < required || value.length > maxItems) return false;
      return value.every((item, index) => fits(types, items[index] ?? rest!, item));
    }
    case "object": {
      if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
      const { properties, additional } = shape;
      if (properties.some(({ name, optional }) => !optional && !Object.hasOwn(value, name))) {
        return false;
      }
      return Object.entries(value).every(([key, part]) => {
        const known = properties.find(({ name }) => name === key)?.shape ?? additional;
        return known !== null && fits(types, known, part);
      });
    }
    default:
      return new ShapeRule(types, "open").fault(shape, value) === null;
  }
}

function program(round: number, types: TypeTable, assignments: readonly string[]): string {
  const names = Object.keys(types).join(", ");
  return [
    `import type { ${names} } from "./types${round}.js";`,
    "declare function taken<T>(value: T): void;",
    ...assignments,
  ].join("\n");
}

/** Errors of the compiler. */
function compile(folder: string): string {
  const compilerOptions = {
    ...{ target: "es2022", module: "nodenext", types: [], strict: true, noEmit: true },
    exactOptionalPropertyTypes: true,
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions }));
  const compiler = join(packageRoot(), "node_modules/typescript/bin/tsc");
  const { stdout } = spawnSync(process.execPath, [compiler, "-p", folder], { encoding: "utf8" });
  return stdout;
}

test.run();
