// The command line: finds the command, parses its options, runs it and sets the exit code. Must
// load nothing heavy: every command imports its implementation when it runs.

import { existsSync } from "node:fs";
import { didYouMean } from "../runtime/base/did-you-mean.js";
import { SvcError } from "../runtime/base/errors.js";
import { packageInfo } from "../runtime/base/package-info.js";
import { recordUnhandledError } from "../runtime/base/unhandled-errors.js";
import { COMMANDS } from "./commands.js";
import { type Command, PROJECT_ARGUMENT } from "./framework/command.js";
import { loadEnvironment } from "./framework/environment.js";
import { commandHelp, overview } from "./framework/help.js";
import { parseArguments } from "./framework/parse-arguments.js";
import { EXIT_FAILURE, reportError } from "./framework/report-error.js";

const COMMAND_NAMES = COMMANDS.map(({ name }) => name);

/** Commands that run project files, and exit even if these have left timers behind. */
const FINITE: ReadonlySet<string> = new Set(["build", "check"]);

/** While a project file runs, `process.exit` throws instead of this exit. */
const exit = process.exit.bind(process);

/** True if the command line owns this process. */
let isOwnProcess = false;
/** An uncaught error of a project file that was reported. */
let reportedError: SvcError | null = null;

/** Reports uncaught errors like all others. Call only if the command line owns the process. */
export function reportUncaught(): void {
  isOwnProcess = true;
  process.on("uncaughtException", (error) => {
    const reported = recordUnhandledError(error);
    if (reported === null) exit(reportError(error));
    // The output of svc itself is complete: the command finishes with a failure.
    process.exitCode = EXIT_FAILURE;
    if (reportedError === null) reportError(reported);
    reportedError ??= reported;
  });
}

/**
 * Runs one command line and sets `process.exitCode`: 0 success, 1 failure, 2 usage error.
 * @param words arguments after `svc`
 */
export async function main(words: readonly string[]): Promise<void> {
  try {
    const code = await run(words);
    process.exitCode = code === 0 && reportedError !== null ? EXIT_FAILURE : code;
  } catch (error) {
    process.exitCode = error === reportedError ? EXIT_FAILURE : reportError(error);
  }
  // Exits when all output is written.
  if (isOwnProcess && FINITE.has(words[0] ?? "")) process.stdout.write("", () => process.exit());
}

async function run(words: readonly string[]): Promise<number> {
  const [name, ...others] = words;
  if (name === "help" && others.length > 0) {
    process.stdout.write(commandHelp(findCommand(others)));
    return 0;
  }
  if (name === undefined || name === "--help" || name === "-h" || name === "help") {
    process.stdout.write(overview(packageInfo().version, COMMANDS));
    return 0;
  }
  if (name === "--version" || name === "-v") {
    process.stdout.write(`${packageInfo().version}\n`);
    return 0;
  }
  const command = findCommand(words);
  const rest = words.slice(command.name.split(" ").length);
  if (command.arguments.includes(PROJECT_ARGUMENT)) {
    const [folder = "."] = parseArguments(command, rest, {}).positionals;
    loadEnvironment(folder);
  }
  const { help, positionals, values } = parseArguments(command, rest, process.env);
  if (help) {
    process.stdout.write(commandHelp(command));
    return 0;
  }
  return command.run(positionals, values);
}

/** Returns the command named by the first two words, or by the first one. */
function findCommand([first = "", second = ""]: readonly string[]): Command {
  const pair = `${first} ${second}`;
  const named = (name: string) => COMMANDS.find((command) => command.name === name);
  const command = named(pair) ?? named(first);
  if (command === undefined) throw unknownCommand(first);
  // The second word belongs to a command only if it has no other meaning.
  const isArgument = command.name === pair || second.startsWith("-") || existsSync(second);
  const pairs = COMMAND_NAMES.filter((name) => name.startsWith(`${first} `));
  const hint = second === "" || isArgument ? "" : didYouMean(pair, pairs);
  if (hint !== "") throw new SvcError("SVC3001", `unknown command \`${pair}\`${hint}`);
  return command;
}

function unknownCommand(name: string): SvcError {
  const isOption = name.startsWith("-");
  const names = isOption ? ["--help", "--version"] : COMMAND_NAMES;
  const message = `unknown ${isOption ? "option" : "command"} \`${name}\``;
  return new SvcError(isOption ? "SVC3002" : "SVC3001", message + didYouMean(name, names));
}
