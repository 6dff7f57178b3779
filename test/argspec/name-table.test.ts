// Names of generated code: available ones are kept, reserved and conflicting ones are changed.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { nameTable } from "../../argspec/name-table.js";
import { listOperations } from "../../argspec/operations.js";
import { makeArgspec, plugin, STRING } from "./sample-argspec.js";

const test = suite("generated names");

function table(plugins: readonly string[], types: readonly string[] = []) {
  const $defs = Object.fromEntries(types.map((name) => [name, STRING]));
  const argspec = makeArgspec(
    plugins.map((name) => plugin(name)),
    $defs,
  );
  return nameTable(argspec, listOperations(argspec));
}

test("are those of plugins for methods, unless reserved", () => {
  const names = ["Find", "find_all", "_x", "__proto__", "then", "with", "import", "str", "delete"];
  const { methods } = table(names);
  assert.equal(
    names.map((name) => methods.get(name)),
    ["Find", "find_all", "_x", "_proto__", "then_", "with_", "import_", "str_", "delete"],
  );
});

test("are unique among methods and raw methods", () => {
  const names = ["then", "then_", "find", "findRaw", "find_raw", "x", "_x", "__x", "___x"];
  const { methods } = table(names);
  const emittedNames = [...methods.values()].flatMap((name) => [name, `${name}Raw`, `${name}_raw`]);
  assert.is(new Set(emittedNames).size, 3 * names.length, `${[...methods.values()]}`);
});

test("keep types of a service and rename those generated for its plugins", () => {
  const { types, params, results } = table(["find", "Find", "1st"], ["FindParams", "Client", "A"]);
  assert.equal([...types.values()], ["FindParams", "Client_", "A"]);
  assert.equal([...params.values()], ["_1stParams", "FindParams_", "FindParams_2"]);
  assert.equal([...results.values()], ["_1stResult", "FindResult", "FindResult_"]);
});

test.run();
