// Help texts, generated from the command tables.

import { type Command, environmentVariableFor } from "./command.js";

export function overview(version: string, commands: readonly Command[]): string {
  const rows = commands.map((command) => [usage(command), command.summary]);
  return `svc ${version}: plugin server for TypeScript

Usage: svc <command> [arguments] [options]

Commands
${columns(rows)}

Options
${columns([
  ["--help, -h", "show help; `svc <command> --help` for one command"],
  ["--version, -v", "show the version"],
])}
`;
}

export function commandHelp(command: Command): string {
  const options = Object.entries(command.options).map(([name, option]) => [
    option.kind.placeholder === null ? `--${name}` : `--${name} ${option.kind.placeholder}`,
    option.help,
  ]);
  const example = environmentVariableFor(Object.keys(command.options)[0] ?? "");
  const environment = command.environment
    ? `\nEvery option can be set by an environment variable, e.g. ${example}; options win.\n`
    : "";
  return `${command.summary}

Usage: svc ${usage(command)} [options]

${argumentRows(command)}Options
${columns([...options, ["--help", "show help"]])}
${environment}`;
}

function argumentRows({ arguments: rows }: Command): string {
  return rows.length === 0 ? "" : `${columns(rows.map(({ name, help }) => [name, help]))}\n\n`;
}

function usage(command: Command): string {
  return [command.name, ...command.arguments.map(({ name }) => name)].join(" ");
}

function columns(rows: readonly (readonly string[])[]): string {
  const width = Math.max(...rows.map(([left]) => left!.length)) + 2;
  return rows.map(([left, right]) => `  ${left!.padEnd(width)}${right}`).join("\n");
}
