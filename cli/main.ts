// The command line: finds the command, parses its options, runs it and sets the exit code. Must
// load nothing heavy: every command imports its own work when it runs.

import { nearestHint } from "../compiler/diagnostics/nearest.js";
import { SvcError } from "../runtime/errors.js";
import { packageInfo } from "../runtime/package-info.js";
import { build } from "./build.js";
import { check } from "./check.js";
import { dev } from "./dev.js";
import { doctor } from "./doctor.js";
import type { Command } from "./frame/command.js";
import { commandHelp, overview } from "./frame/help.js";
import { parseArguments } from "./frame/parse-arguments.js";
import { reportError } from "./frame/report-error.js";
import { init } from "./init.js";
import { matrix } from "./matrix.js";
import { serve } from "./serve.js";

const COMMANDS: readonly Command[] = [build, serve, dev, matrix, check, init, doctor];

/**
 * Runs one command line and sets `process.exitCode`: 0 done, 1 failed, 2 wrong usage.
 * @param words what stands behind `svc`
 */
export async function main(words: readonly string[]): Promise<void> {
  try {
    process.exitCode = await run(words);
  } catch (error) {
    process.exitCode = reportError(error);
  }
}

async function run([name, ...rest]: readonly string[]): Promise<number> {
  if (name === undefined || name === "--help" || name === "-h" || name === "help") {
    process.stdout.write(overview(packageInfo().version, COMMANDS));
    return 0;
  }
  if (name === "--version" || name === "-v") {
    process.stdout.write(`${packageInfo().version}\n`);
    return 0;
  }
  const command = COMMANDS.find((candidate) => candidate.name === name);
  if (command === undefined) throw unknownCommand(name);
  const { help, given, values } = parseArguments(command, rest, process.env);
  if (help) {
    process.stdout.write(commandHelp(command));
    return 0;
  }
  return command.run(given, values);
}

function unknownCommand(name: string): SvcError {
  const isOption = name.startsWith("-");
  const names = isOption ? ["--help", "--version"] : COMMANDS.map((command) => command.name);
  const message = `there is no ${isOption ? "option" : "command"} \`${name}\``;
  return new SvcError(isOption ? "SVC3002" : "SVC3001", message + nearestHint(name, names));
}
