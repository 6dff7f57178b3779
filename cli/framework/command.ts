// A command: a table of options and the function that runs it. The function imports its
// implementation lazily, so that `svc --help` and `svc serve` never load the compiler.

import type { OptionTable, OptionValues } from "./option.js";

export interface Command<Table extends OptionTable = OptionTable> {
  readonly name: string;
  readonly summary: string;
  /** Positional arguments; required ones come first. */
  readonly arguments: readonly Argument[];
  readonly options: Table;
  /** Every option may also come from a variable: `--plugin-timeout` from SVC_PLUGIN_TIMEOUT. */
  readonly environment: boolean;
  /**
   * Returns the exit code, once the command has ended.
   * @param words the arguments that were given, all required ones among them
   */
  run(words: readonly string[], values: OptionValues<Table>): Promise<number>;
}

/** A positional argument, as the help text shows it. */
export interface Argument {
  readonly name: string;
  readonly required: boolean;
  readonly help: string;
  /** All that it may be, where these are few: shells offer them. */
  readonly choices?: readonly Choice[];
}

export interface Choice {
  readonly name: string;
  readonly summary: string;
}

/** The argument of all commands that work on an existing project. */
export const PROJECT_ARGUMENT: Argument = {
  name: "[folder]",
  required: false,
  help: "project folder (default: current folder)",
};

/** The argument of all commands that work on an argspec, wherever it is. */
export const SOURCE_ARGUMENT: Argument = {
  name: "[source]",
  required: false,
  help: "server URL, argspec file or project folder (default: current folder)",
};

/** Gives a command literal its exact option types. */
export function defineCommand<Table extends OptionTable>(command: Command<Table>): Command<Table> {
  return command;
}

/** Name of the environment variable of an option. */
export function environmentVariableFor(option: string): string {
  return `SVC_${option.replaceAll("-", "_").toUpperCase()}`;
}
