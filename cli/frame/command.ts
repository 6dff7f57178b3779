// What a command is: a table of options and the function that does the work. The function imports
// its work lazily, so that `svc --help` and `svc serve` never pay for the compiler.

import type { OptionTable, OptionValues } from "./option.js";

export interface Command<Table extends OptionTable = OptionTable> {
  readonly name: string;
  readonly summary: string;
  /** The one positional argument, as the help text shows it. */
  readonly argument: { readonly name: string; readonly required: boolean; readonly help: string };
  readonly options: Table;
  /** Every option may also come from a variable: `--plugin-timeout` from SVC_PLUGIN_TIMEOUT. */
  readonly environment: boolean;
  /** Returns the exit code, once the command has ended. */
  run(argument: string | null, values: OptionValues<Table>): Promise<number>;
}

/** The positional argument of all commands that work on an existing project. */
export const PROJECT_ARGUMENT = {
  name: "[folder]",
  required: false,
  help: "project folder, default: the current one",
} as const;

/** Gives a command literal its exact option types. */
export function defineCommand<Table extends OptionTable>(command: Command<Table>): Command<Table> {
  return command;
}

/** Name of the environment variable of an option. */
export function variableOf(option: string): string {
  return `SVC_${option.replaceAll("-", "_").toUpperCase()}`;
}
