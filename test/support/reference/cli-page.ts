// docs/reference/cli.md: the tables of the commands.

import { VERBS } from "../../../cli/admin/verbs.js";
import { COMMANDS } from "../../../cli/commands.js";
import { type Command, environmentVariableFor } from "../../../cli/framework/command.js";
import type { Option } from "../../../cli/framework/option.js";
import { SERVE_OPTIONS } from "../../../cli/serving/options.js";
import { code, table } from "./markdown.js";

const INTRODUCTION = `# Command line

\`svc <command> --help\` prints the arguments and options of a command, \`svc --help\` all commands,
and \`svc --version\` the version. \`svc completion <shell>\` prints a completion script.

| Exit code | Meaning |
|---|---|
| 0 | success |
| 1 | failure; the error has a [code](errors.md) |
| 2 | usage error: unknown command or option, invalid argument, no matching instance |

\`svc replay\` also exits with 2 if it cannot compare: 1 means that responses differ.
`;

const SERVE = "serve";

export function cliPage(): string {
  return [INTRODUCTION, ...COMMANDS.map(section)].join("\n");
}

function section(command: Command): string {
  const { name, summary, arguments: positionals } = command;
  const usage = ["svc", name, ...positionals.map((argument) => argument.name), "[options]"].join(
    " ",
  );
  const parts = [`## svc ${name}\n`, `${summary}\n`, `\`\`\`\n${usage}\n\`\`\`\n`];
  if (positionals.length > 0) {
    const rows = positionals.map(({ name, help }) => [code(name), help.split("\n", 1)[0]!]);
    parts.push(table(["Argument", "Description"], rows));
  }
  if (name === "admin") {
    const rows = VERBS.map(({ name, takes, summary }) => [
      code(`${name} ${takes}`.trim()),
      summary,
    ]);
    parts.push(table(["Verb", "Description"], rows));
  }
  return [...parts, ...options(command)].join("\n");
}

function options({ name, options, environment }: Command): string[] {
  const shared = new Set<Option<unknown>>(name === SERVE ? [] : Object.values(SERVE_OPTIONS));
  const entries = Object.entries(options);
  const ownEntries = entries.filter(([, option]) => !shared.has(option));
  const notes: string[] = [];
  if (environment) {
    const example = environmentVariableFor(entries[0]![0]);
    notes.push(`Each option has an environment variable, such as \`${example}\`.\n`);
  }
  if (ownEntries.length < entries.length)
    notes.push("All options of [svc serve](#svc-serve), and:\n");
  const rows = ownEntries.map(([name, { kind, help }]) => [
    code(`--${name}${kind.placeholder === null ? "" : ` ${kind.placeholder}`}`),
    help,
  ]);
  return rows.length === 0 ? notes : [...notes, table(["Option", "Description"], rows)];
}
