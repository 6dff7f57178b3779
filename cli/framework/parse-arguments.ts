// Parses the words after a command's name into positional arguments and typed options. Options on
// the command line override environment variables.

import { parseArgs } from "node:util";
import { didYouMean } from "../../runtime/base/did-you-mean.js";
import { SvcError } from "../../runtime/base/errors.js";
import { type Command, environmentVariableFor } from "./command.js";
import { type Option, type OptionTable, type OptionValues, parseOption } from "./option.js";

export interface ParsedArguments<Table extends OptionTable> {
  readonly help: boolean;
  /** Positional arguments. */
  readonly positionals: readonly string[];
  readonly values: OptionValues<Table>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * @param words everything after the command's name
 * @throws SvcError SVC3002, SVC3003 or SVC3004
 */
export function parseArguments<Table extends OptionTable>(
  command: Command<Table>,
  words: readonly string[],
  environment: Environment,
): ParsedArguments<Table> {
  const values: Record<string, unknown> = command.environment
    ? fromEnvironment(command.options, environment)
    : {};
  const positionals: string[] = [];
  for (const token of tokensOf(command.options, words)) {
    if (token.kind === "positional") {
      positionals.push(token.value);
      if (positionals.length > command.arguments.length) throw tooMany(command, token.value);
    } else if (token.kind === "option") {
      if (token.name === "help" || token.rawName === "-h") {
        return { help: true, positionals, values: {} };
      }
      values[token.name] = fromToken(command, token.name, token.rawName, token.value);
    }
  }
  const missing = command.arguments[positionals.length];
  if (missing?.required) {
    const { name, help } = missing;
    throw new SvcError("SVC3004", `\`svc ${command.name}\` needs ${name}: ${help}`);
  }
  // Every value was returned by `parse` of the option of that name.
  return { help: false, positionals, values: values as OptionValues<Table> };
}

function tooMany({ name, arguments: { length } }: Command, word: string): SvcError {
  const maximum = length === 1 ? "one argument" : `${length} arguments`;
  return new SvcError(
    "SVC3004",
    `\`svc ${name}\` takes ${maximum}; unexpected argument \`${word}\``,
  );
}

function tokensOf(options: OptionTable, words: readonly string[]) {
  const types = Object.entries(options).map(
    ([name, option]) =>
      [name, { type: option.kind.placeholder === null ? "boolean" : "string" } as const] as const,
  );
  return parseArgs({
    args: [...words],
    options: Object.fromEntries(types),
    strict: false,
    allowPositionals: true,
    tokens: true,
  }).tokens;
}

function fromToken(
  command: Command,
  name: string,
  rawName: string,
  text: string | undefined,
): unknown {
  const option = Object.hasOwn(command.options, name) ? command.options[name] : undefined;
  if (option === undefined || !rawName.startsWith("--")) {
    const names = [...Object.keys(command.options), "help"].map((known) => `--${known}`);
    const message = `unknown option \`${rawName}\` for \`svc ${command.name}\``;
    throw new SvcError("SVC3002", message + didYouMean(rawName, names));
  }
  const isSwitch = option.kind.placeholder === null;
  return parseValue(option, rawName, isSwitch ? (text ?? "1") : text);
}

function fromEnvironment(options: OptionTable, environment: Environment): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, option] of Object.entries(options)) {
    const variables = [environmentVariableFor(name), option.platformVariable ?? ""];
    const variable = variables.find((known) => environment[known]);
    if (variable !== undefined) values[name] = parseValue(option, variable, environment[variable]);
  }
  return values;
}

function parseValue(option: Option<unknown>, label: string, text: string | undefined): unknown {
  const value = text === undefined ? undefined : parseOption(option.kind, text);
  if (value === undefined) {
    const actual = text === undefined ? "nothing" : JSON.stringify(text);
    throw new SvcError("SVC3003", `${label}: expected ${option.kind.expected}, got ${actual}`);
  }
  return value;
}
