// docs/reference/settings.md: the table of settings.

import { environmentVariableFor } from "../../../cli/framework/command.js";
import { SERVE_OPTIONS } from "../../../cli/serving/options.js";
import type { Setting } from "../../../runtime/settings/setting.js";
import { SETTINGS } from "../../../runtime/settings/table.js";
import { code, table } from "./markdown.js";

const INTRODUCTION = `# Settings

svc reads each setting from the first of these sources that sets it:

1. options of \`svc serve\` and \`svc dev\`
2. environment variables: the name of the option in upper case, with the prefix \`SVC_\`
   (\`--save-every\` is \`SVC_SAVE_EVERY\`)
3. the file \`.env\` in the project folder, with the same variables
4. \`svc.config.ts\`, which exports \`defineConfig({ … })\` from \`svc-server/config\`
5. the default

\`svc.config.ts\` is optional. \`svc build\` evaluates and validates it. If it reads
\`process.env\`, the time or files, svc evaluates it again at every start.

Programs pass settings to \`system.startHTTP\` by the name in the column "In programs". Names with a
star are arguments of \`system.initialize\` only. In programs, svc saves graphs periodically only if
\`saveEvery\` is set, and writes a transaction log only if \`durability\` is set.
`;

function row([name, setting]: [string, Setting<unknown>]): string[] {
  const { key, defaultText, option, fileOption, library, type, help } = setting;
  const programs = library === null ? "" : `\`${name}\`${library === "start" ? "" : " *"}`;
  const word = option ?? fileOption;
  const placeholder = fileOption === null ? type.placeholder : "<file>";
  const options = word === null ? "" : code(`--${word}${placeholder ? ` ${placeholder}` : ""}`);
  return [code(key), programs, defaultText, options, help];
}

export function settingsPage(): string {
  const settings = Object.entries<Setting<unknown>>(SETTINGS);
  const platform = settings.flatMap(([, { option, platformVariable }]) => {
    if (option === null || platformVariable === undefined) return [];
    const variable = environmentVariableFor(option);
    return [`svc also reads \`${platformVariable}\` where \`${variable}\` is not set.\n`];
  });
  return [
    INTRODUCTION,
    table(["Key", "In programs", "Default", "Option", "Description"], settings.map(row)),
    ...platform,
    "These options are not settings:\n",
    table(
      ["Option", "Description"],
      [
        [code("--role <engine|dispatcher>"), SERVE_OPTIONS.role.help],
        [code("--instance <id>"), SERVE_OPTIONS.instance.help],
      ],
    ),
  ].join("\n");
}
