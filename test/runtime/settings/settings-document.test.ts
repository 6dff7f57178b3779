// docs/reference/settings.md is what people read of the table of settings: it must be that table.
// UPDATE_GOLDEN=1 writes it anew.

import { suite } from "uvu";
import { SERVE_OPTIONS } from "../../../cli/serving/options.js";
import type { Setting } from "../../../runtime/settings/setting.js";
import { SETTINGS } from "../../../runtime/settings/table.js";
import { matchesGolden } from "../../golden/golden.js";

const test = suite("document of settings");

const INTRODUCTION = `# Settings

\`svc.config.ts\` is optional: \`export default defineConfig({ … })\` from \`svc-server/config\`.
\`svc build\` evaluates and checks it. Options of \`svc serve\` and \`svc dev\` win over
variables, and those over the file. The variable of an option is its name in capitals, with
\`SVC_\` before it: \`--save-every\` and \`SVC_SAVE_EVERY\`. Programs may give settings by the
names that stand behind their keys: to \`system.startHTTP\`, those with a star to
\`system.initialize\` alone. There, graphs are saved now and then only where \`saveEvery\` says so.
`;

function row([name, setting]: [string, Setting<unknown>]): string {
  const { key, defaultText, option, fileOption, library, type, help } = setting;
  const programs = library === null ? "" : ` \`${name}\`${library === "start" ? "" : " *"}`;
  const word = option ?? fileOption;
  const placeholder = fileOption === null ? type.placeholder : "<file>";
  const options = word === null ? "" : `\`--${word}${placeholder ? ` ${placeholder}` : ""}\``;
  const cells = [`\`${key}\``, programs, defaultText, options, help];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`.replace(
    / {2,}/g,
    " ",
  );
}

test("is the table", () => {
  const lines = [
    INTRODUCTION,
    "| Key | In programs | Default | Option | Meaning |",
    "|---|---|---|---|---|",
    ...Object.entries<Setting<unknown>>(SETTINGS).map(row),
    "",
    `\`--role\` is an option alone: ${SERVE_OPTIONS.role.help}.`,
    `So is \`--instance <id>\`: ${SERVE_OPTIONS.instance.help}.`,
    "",
  ];
  matchesGolden("../../docs/reference/settings.md", lines.join("\n"));
});

test.run();
