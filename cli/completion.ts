// `svc completion`: prints the completion script of a shell.

import { SvcError } from "../runtime/base/errors.js";
import { type Command, defineCommand } from "./framework/command.js";
import { completionScript, SHELLS } from "./framework/completion-scripts.js";

/** @param commands all commands, including this one */
export function completionCommand(commands: () => readonly Command[]): Command {
  return defineCommand({
    name: "completion",
    summary: "Prints a shell completion script.",
    arguments: [
      {
        name: "<shell>",
        required: true,
        help: `one of ${SHELLS.join(", ")}`,
        choices: SHELLS.map((name) => ({ name, summary: "" })),
      },
    ],
    options: {},
    environment: false,
    async run([name]) {
      const shell = SHELLS.find((candidate) => candidate === name);
      if (shell === undefined) throw new SvcError("SVC3090", `unsupported shell: ${name}`);
      process.stdout.write(completionScript(shell, commands()));
      return 0;
    },
  });
}
