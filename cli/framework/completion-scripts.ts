// Shell completion scripts, generated from the command tables. Suggestions are static, because
// running `svc` at each key press would be slow.

import type { Choice, Command } from "./command.js";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

export function completionScript(shell: Shell, commands: readonly Command[]): string {
  const completions: readonly CommandCompletion[] = commands.map((command) => ({
    command,
    options: Object.entries(command.options).map(([name, { kind, help }]) => {
      return { name, help, values: valuesOf(kind.placeholder) };
    }),
  }));
  switch (shell) {
    case "bash":
      return bash(completions, "source <(svc completion bash)", "~/.bashrc");
    case "zsh":
      return `autoload -U +X bashcompinit && bashcompinit\n${bash(
        completions,
        "source <(svc completion zsh)",
        "~/.zshrc",
      )}`;
    case "fish":
      return fish(completions);
  }
}

/** Values of an option: none, one of several words, a path, or any text. */
type Values = null | readonly string[] | "file" | "folder" | "text";

interface CommandCompletion {
  readonly command: Command;
  readonly options: readonly { name: string; help: string; values: Values }[];
}

function valuesOf(placeholder: string | null): Values {
  if (placeholder === null) return null;
  const word = placeholder.slice(1, -1);
  if (/^[\w-]+(?:\|[\w-]+)+$/.test(word)) return word.split("|");
  return word === "file" || word === "folder" ? word : "text";
}

/** First words of commands, and the second words of commands that have them. */
function namesOf(completions: readonly CommandCompletion[]): {
  first: string[];
  pairs: [string, string][];
} {
  const names = completions.map(({ command }) => command.name.split(" "));
  return {
    first: [...new Set(names.map(([word]) => word!)), "help"],
    pairs: names.filter(({ length }) => length > 1).map(([a, b]) => [a!, b!]),
  };
}

/** Words that follow a command's name. */
function choicesOf({ command }: CommandCompletion): readonly Choice[] {
  return command.arguments[0]?.choices ?? [];
}

function bash(completions: readonly CommandCompletion[], line: string, file: string): string {
  const { first, pairs } = namesOf(completions);
  const two = pairs.map((pair) => `    "${pair.join(" ")}") command="${pair.join(" ")}" ;;`);
  const seconds = [...new Set(pairs.map(([word]) => word))].map((word) => {
    const list = pairs.filter(([other]) => other === word).map(([, second]) => second);
    return `    "2 ${word}") words="${list.join(" ")}" ;;`;
  });
  const chosen = completions.flatMap((completion) => {
    const list = choicesOf(completion).map(({ name }) => name);
    return list.length === 0
      ? []
      : [`    "2 ${completion.command.name}") words="${list.join(" ")}" ;;`];
  });
  const values = completions.flatMap(({ command, options }) =>
    options.flatMap(({ name, values: kind }) => {
      const does = kind === null ? null : bashValues(kind);
      return does === null ? [] : [`    "${command.name} --${name}") ${does} return ;;`];
    }),
  );
  const flags = completions.map(({ command, options }) => {
    const words = [...options.map(({ name }) => name), "help"].map((name) => `--${name}`);
    return `    "${command.name}") words="$words ${words.join(" ")}" ;;`;
  });
  return `# Completion of svc: write \`${line}\` into ${file}.
_svc_offer() {
  COMPREPLY=($(compgen -W "$1" -- "$word"))
}
_svc_paths() {
  local IFS=$'\\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen "$1" -- "$word"))
}
_svc() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"
  local command="\${COMP_WORDS[1]}" words=""
  if [ "$COMP_CWORD" -eq 1 ] || [ "$COMP_CWORD$before" = 2help ]; then
    _svc_offer "${first.join(" ")} --help --version"
    return
  fi
  case "$command \${COMP_WORDS[2]}" in
${two.join("\n")}
  esac
  case "$COMP_CWORD $command" in
${[...seconds, ...chosen].join("\n")}
  esac
  case "$command $before" in
${values.join("\n")}
  esac
  case "$command" in
${flags.join("\n")}
  esac
  case "$word" in
    -*) _svc_offer "$words" ;;
    *)
      _svc_offer "\${words%% --*}"
      [ "\${#COMPREPLY[@]}" -gt 0 ] || _svc_paths -f
      ;;
  esac
}
complete -F _svc svc
`;
}

function bashValues(values: Exclude<Values, null>): string {
  if (values === "text") return "";
  if (typeof values === "string") return `_svc_paths ${values === "file" ? "-f" : "-d"};`;
  return `_svc_offer "${values.join(" ")}";`;
}

function fish(completions: readonly CommandCompletion[]): string {
  const { first, pairs } = namesOf(completions);
  const two = pairs.map((pair) => quoted(pair.join(" ")));
  const summaryOf = (name: string) =>
    completions.find(({ command }) => command.name === name)?.command.summary ?? "";
  const words = first.map((name) => described(`-f -n __svc_first -a ${name}`, summaryOf(name)));
  // No file can follow a word that is not a complete command.
  const isGroup = (name: string) => !completions.some(({ command }) => command.name === name);
  const seconds = pairs.map(([name, second]) => {
    const only = isGroup(name) ? "-f " : "";
    return described(
      `${only}-n '__svc_second ${name}' -a ${second}`,
      summaryOf(`${name} ${second}`),
    );
  });
  const chosen = completions.flatMap((completion) =>
    choicesOf(completion).map(({ name, summary }) =>
      described(`-f -n '__svc_second ${completion.command.name}' -a ${name}`, summary),
    ),
  );
  const helped = first.map((name) => described(`-f -n '__svc_second help' -a ${name}`, ""));
  const options = completions.flatMap(({ command, options }) =>
    options.map(({ name, help, values }) =>
      described(`-n ${quoted(`__svc_is '${command.name}'`)} -l ${name}${fishValues(values)}`, help),
    ),
  );
  return `# Completion of svc: svc completion fish > ~/.config/fish/completions/svc.fish
function __svc_first
    test (count (commandline -opc)) -eq 1
end
function __svc_second
    set -l words (commandline -opc)
    test (count $words) -eq 2; and test "$words[2]" = $argv[1]
end
function __svc_is
    set -l words (commandline -opc) '' ''
    set -l name "$words[2]"
    contains -- "$words[2] $words[3]" ${two.join(" ")}; and set name "$words[2] $words[3]"
    test "$name" = "$argv[1]"
end
${[...words, ...seconds, ...chosen, ...helped, ...options].join("\n")}
`;
}

function fishValues(values: Values): string {
  if (values === null) return "";
  if (values === "file" || values === "folder") return " -r -F";
  return values === "text" ? " -x" : ` -x -a ${quoted(values.join(" "))}`;
}

function described(start: string, help: string): string {
  return `complete -c svc ${start}${help === "" ? "" : ` -d ${quoted(help)}`}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, "\\$&")}'`;
}
