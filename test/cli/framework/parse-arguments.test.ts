// Valid and invalid options, variables and positional arguments.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { defineCommand } from "../../../cli/framework/command.js";
import { choice, flag, integer, integerOr, stringSetting } from "../../../cli/framework/option.js";
import { parseArguments } from "../../../cli/framework/parse-arguments.js";
import { SvcError } from "../../../runtime/base/errors.js";

const command = defineCommand({
  name: "launch",
  summary: "",
  arguments: [{ name: "[folder]", required: false, help: "" }],
  options: {
    port: { kind: integer(0, 65534), help: "" },
    mode: { kind: choice("slow", "fast"), help: "" },
    threads: { kind: integerOr("auto", 1, 32), help: "" },
    "data-root": { kind: stringSetting("<folder>"), help: "" },
    quiet: { kind: flag, help: "" },
  },
  environment: true,
  run: async () => 0,
});

function parse(words: string[], environment = {}) {
  return parseArguments(command, words, environment);
}

function failure(words: string[], environment = {}): string {
  try {
    parse(words, environment);
  } catch (error) {
    assert.instance(error, SvcError);
    return `${(error as SvcError).code} ${(error as SvcError).message}`;
  }
  return "no error";
}

const test = suite("parse arguments");

test("returns typed options, in both spellings and any order", () => {
  const words = ["--port", "8000", "here", "--mode=fast", "--threads", "auto", "--quiet"];
  const { positionals, values } = parse([...words, "--data-root", "/data"]);
  assert.equal(positionals, ["here"]);
  assert.equal(
    { ...values },
    { port: 8000, mode: "fast", threads: "auto", quiet: true, "data-root": "/data" },
  );
});

test("omits missing options", () => {
  assert.equal(parse([]), { help: false, positionals: [], values: {} });
});

test("reads variables, and prefers options", () => {
  const environment = { SVC_PORT: "1", SVC_DATA_ROOT: "/v", SVC_QUIET: "true", SVC_MODE: "" };
  const { values } = parse(["--port", "2"], environment);
  assert.equal({ ...values }, { port: 2, "data-root": "/v", quiet: true });
});

test("ignores variables if the command does not support them", () => {
  const deaf = { ...command, environment: false };
  assert.equal(parseArguments(deaf, [], { SVC_PORT: "x" }).values, {});
});

test("recognizes --help anywhere", () => {
  assert.is(parse(["--help"]).help, true);
  assert.is(parse(["here", "-h"]).help, true);
});

test("reports option, expected type and value", () => {
  const range = "expected an integer from 0 to 65534";
  assert.is(failure(["--port", "x"]), `SVC3003 --port: ${range}, got "x"`);
  assert.is(failure(["--port=65535"]), `SVC3003 --port: ${range}, got "65535"`);
  assert.is(failure(["--port=1e3"]), `SVC3003 --port: ${range}, got "1e3"`);
  assert.is(failure(["--port"]), `SVC3003 --port: ${range}, got nothing`);
  assert.is(failure([], { SVC_PORT: "y" }), `SVC3003 SVC_PORT: ${range}, got "y"`);
  assert.is(failure(["--mode", "mid"]), 'SVC3003 --mode: expected one of slow, fast, got "mid"');
  assert.match(failure(["--threads", "many"]), 'an integer from 1 to 32, or "auto", got "many"');
  assert.match(failure(["--data-root="]), 'expected a non-empty string, got ""');
  assert.match(failure(["--quiet=maybe"]), "expected 1, 0, true or false");
});

test("suggests the nearest option for an unknown one", () => {
  assert.is(
    failure(["--prot", "1"]),
    "SVC3002 unknown option `--prot` for `svc launch`, did you mean `--port`?",
  );
  assert.match(failure(["-p"]), "SVC3002 unknown option `-p` for `svc launch`");
  assert.match(failure(["--constructor"]), "SVC3002");
  assert.match(failure(["--__proto__", "x"]), "SVC3002");
});

test("checks the number of arguments", () => {
  assert.match(
    failure(["a", "b"]),
    "SVC3004 `svc launch` takes one argument; unexpected argument `b`",
  );
  const where = { name: "<where>", required: true, help: "the place" };
  const strict = { ...command, arguments: [where, ...command.arguments] };
  assert.throws(() => parseArguments(strict, [], {}), /needs <where>: the place/);
  assert.equal(parseArguments(strict, ["a"], {}).positionals, ["a"]);
  assert.equal(parseArguments(strict, ["a", "b"], {}).positionals, ["a", "b"]);
  assert.throws(
    () => parseArguments(strict, ["a", "b", "c"], {}),
    /takes 2 arguments; unexpected argument `c`/,
  );
});

test.run();
