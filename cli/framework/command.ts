// A command: a table of options and the function that runs it. The function imports its
// implementation lazily, so that `svc --help` and `svc serve` never load the compiler.

import type { OptionTable, OptionValues } from "./option.js";

export interface Command<Table extends OptionTable = OptionTable> {
  readonly name: string;
  readonly summary: string;
  /** Positional arguments; required ones come first. */
  readonly arguments: readonly Argument[];
  readonly options: Table;
  /** Every option can also be set by a variable: `--plugin-timeout` by SVC_PLUGIN_TIMEOUT. */
  readonly environment: boolean;
  /**
   * Returns the exit code when the command has ended.
   * @param words positional arguments, including all required ones
   */
  run(words: readonly string[], values: OptionValues<Table>): Promise<number>;
}

/** A positional argument, as shown in the help text. */
export interface Argument {
  readonly name: string;
  readonly required: boolean;
  readonly help: string;
  /** All possible values if there are few, for shell completion. */
  readonly choices?: readonly Choice[];
}

export interface Choice {
  readonly name: string;
  readonly summary: string;
}

/** The argument of commands that work on an existing project. */
export const PROJECT_ARGUMENT: Argument = {
  name: "[folder]",
  required: false,
  help: "project folder (default: current folder)",
};

/** The argument of commands that work on an argspec from any source. */
export const SOURCE_ARGUMENT: Argument = {
  name: "[source]",
  required: false,
  help: "server URL, argspec file or project folder (default: current folder)",
};

/** Gives a command literal its exact option types. */
export function defineCommand<Table extends OptionTable>(command: Command<Table>): Command<Table> {
  return command;
}

/** Returns the name of an option's environment variable. */
export function environmentVariableFor(option: string): string {
  return `SVC_${option.replaceAll("-", "_").toUpperCase()}`;
}
