// The command line of the sources, in this process.

import { main } from "../../cli/main.js";
import { type CommandResult, runMain } from "../support/run-main.js";

export function run(...words: string[]): Promise<CommandResult> {
  return runMain(main, words);
}
