// `svc build`: checks and compiles the plugins of a project into `.svc/`.

import { join, resolve } from "node:path";
import { SvcError } from "../runtime/base/errors.js";
import { type Manifest, readManifest } from "../runtime/settings/manifest.js";
import { defineCommand, PROJECT_ARGUMENT } from "./framework/command.js";
import { delayOptimization } from "./framework/delay-optimization.js";
import { flag, stringSetting } from "./framework/option.js";
import { projectFolder } from "./framework/project-folder.js";
import { EXIT_FAILURE } from "./framework/report-error.js";
import { resolveTsconfig, TSCONFIG_OPTION } from "./framework/tsconfig-option.js";

export const build = defineCommand({
  name: "build",
  summary: "Checks and compiles the plugins of a project into .svc/.",
  arguments: [PROJECT_ARGUMENT],
  options: {
    check: { kind: flag, help: "fail if .svc/ is out of date; write nothing" },
    tsconfig: TSCONFIG_OPTION,
    list: { kind: flag, help: "list plugins with their paths and before hooks" },
    json: { kind: flag, help: "print diagnostics as JSON" },
    standalone: {
      kind: stringSetting("<folder>"),
      help: "also write a folder that runs with `node serve.mjs` alone",
    },
  },
  environment: false,
  async run([argument], { check = false, json = false, list = false, tsconfig, standalone }) {
    delayOptimization();
    const [{ buildProject }, { printDiagnostics, printJson, summary }] = await Promise.all([
      import("../compiler/build.js"),
      import("./framework/report-build.js"),
    ]);
    const folder = projectFolder(argument);
    const result = await buildProject(folder, { check, ...resolveTsconfig(tsconfig) });
    if (json) printJson(result.diagnostics);
    else printDiagnostics(folder, result.diagnostics);
    if (result.differing.length > 0) {
      throw new SvcError("SVC3007", `.svc/ is out of date: ${result.differing.join(", ")}`);
    }
    if (!result.ok) return EXIT_FAILURE;
    const done = check || result.unchanged ? "current" : "built";
    if (list) console.log(listText(readManifest(folder)));
    if (!json) console.log(`svc: ${done}, ${summary(result)}`);
    if (standalone !== undefined && !check) await shipTo(folder, standalone, json);
    return 0;
  },
});

async function shipTo(project: string, target: string, isQuiet: boolean): Promise<void> {
  const { writeStandalone } = await import("../compiler/standalone/write-standalone.js");
  const packages = await writeStandalone(project, resolve(target));
  if (isQuiet) return;
  if (packages.length > 0) {
    console.log(
      `svc: install the dependencies: run \`npm install --omit=dev\` in ${target}, ` +
        `which adds ${packages.join(", ")}`,
    );
  }
  console.log(`svc: node ${join(target, "serve.mjs")}`);
}

/** One line per plugin: `price  engine  /svc/plugin/price  before src/guards.ts#auth`. */
function listText(manifest: Manifest | null): string {
  const lines = (manifest?.plugins ?? []).map(({ name, role, description, before = [] }) => {
    const order = before.length === 0 ? [] : [`before ${before.join(", ")}`];
    return [name, role, description.path, ...order].join("  ");
  });
  return lines.join("\n");
}
