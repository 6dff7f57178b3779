// Arguments and results of tools against the schemas of their types: every value that a type
// accepts is accepted by its tool and by programs that read the tool's schema in either dialect.
// Rejected values are rejected, except for huge integers, additional items of open tuples, and
// items of tuples in draft 7. The seed is printed on failure and repeats the run as SEED=n.
// limit: 60 s

import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ToolCaller } from "../../cli/mcp/tool-caller.js";
import { Connection } from "../../client/typescript/connection.js";
import { toJsonSchema } from "../../compiler/emit/json-schema.js";
import type { TypeTable } from "../../compiler/record/type-shape.js";
import { makeArgspec, object, param, plugin, ref } from "../argspec/sample-argspec.js";
import { rounds } from "../support/rounds.js";
import { accepts, collectSchemas } from "./support/accepts-schema.js";
import { Random, SEED } from "./support/random.js";
import { randomTypes, randomValue } from "./support/random-shapes.js";

const ROUNDS = rounds(30);
const VALUES = 25;

const test = suite("tool schemas");

test("accept what types accept", async () => {
  const random = new Random();
  const tally = { accepted: 0, refused: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    const types = randomTypes(random);
    const isExact = !JSON.stringify(types).includes('"rest":{');
    const by = { definitions: collectSchemas(types), isOpen: true };
    const service = createService(types);
    for (const [name, shape] of Object.entries(types)) {
      for (let n = 0; n < VALUES; n++) {
        const value = randomValue(random, types, shape, 4);
        const isAccepted = accepts(by, toJsonSchema(shape), value);
        const taken = await service.takers(name, value);
        const describeCase = () => `seed ${SEED}: ${JSON.stringify({ taken, name, value, types })}`;
        const { tool, newer, older } = taken;
        if (isAccepted && !(tool && newer && older)) assert.unreachable(describeCase());
        const isRefused = !isAccepted && isExact && !holdsHugeInteger(value);
        if (isRefused && (tool || newer)) assert.unreachable(describeCase());
        tally[isAccepted ? "accepted" : "refused"]++;
      }
    }
  }
  assert.ok(tally.accepted > ROUNDS * 10, `seed ${SEED}: ${JSON.stringify(tally)}`);
  assert.ok(tally.refused > ROUNDS * 10, `seed ${SEED}: ${JSON.stringify(tally)}`);
});

function holdsHugeInteger(value: unknown): boolean {
  if (typeof value === "object") return Object.values(value ?? {}).some(holdsHugeInteger);
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}

/** A tool for each type that accepts a value of it and returns it. */
function createService(types: TypeTable) {
  const definitions = Object.entries(types).map(([name, shape]) => [name, toJsonSchema(shape)]);
  const plugins = Object.keys(types).map((name) =>
    plugin(name, {
      params: [param("value", { wire: "json", schema: ref(name) })],
      result: { kind: "value", schema: object({ value: ref(name) }) },
    }),
  );
  let response: unknown = null;
  const fetch = async () => new Response(JSON.stringify({ status: "OK", response: response }));
  const connection = new Connection({ baseUrl: "http://127.0.0.1", fetch }, "ab".repeat(32));
  const argspec = makeArgspec(plugins, Object.fromEntries(definitions));
  const caller = new ToolCaller(argspec, connection);
  const dialects = [Ajv2020, Ajv].map((Dialect) => {
    const ajv = new Dialect({ strict: false, ownProperties: true });
    const compiled = caller.tools.map((tool) => {
      return [tool.name, ajv.compile(structuredClone(tool.outputSchema!))] as const;
    });
    return new Map(compiled);
  });
  async function takers(name: string, value: unknown) {
    const { signal } = new AbortController();
    response = { value };
    const result = await caller.call(name, { value }, signal)!;
    const [newer, older] = dialects.map((checks) => checks.get(name)!(response));
    return { tool: result.isError !== true, newer, older };
  }
  return { takers };
}

test.run();
