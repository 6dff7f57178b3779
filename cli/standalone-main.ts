// Entry point of a standalone folder: `svc serve` for the build in it.

import { packageRoot } from "../runtime/base/package-info.js";
import { defineCommand } from "./framework/command.js";
import { loadEnvironment } from "./framework/environment.js";
import { commandHelp } from "./framework/help.js";
import { parseArguments } from "./framework/parse-arguments.js";
import { reportError } from "./framework/report-error.js";
import { SERVE_OPTIONS } from "./serving/options.js";
import { serveBuild } from "./serving/serve-build.js";

const command = defineCommand({
  name: "serve",
  summary: "Serves the build in this folder.",
  arguments: [],
  options: SERVE_OPTIONS,
  environment: true,
  run: (_words, values) => serveBuild(packageRoot(), values),
});

try {
  loadEnvironment(packageRoot());
  const { help, positionals, values } = parseArguments(command, process.argv.slice(2), process.env);
  if (help) process.stdout.write(commandHelp(command));
  else process.exitCode = await command.run(positionals, values);
} catch (error) {
  process.exitCode = reportError(error);
}
