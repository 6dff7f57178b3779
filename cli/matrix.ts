// `svc matrix 2x3`: runs a project as a whole matrix on this machine for trying out and developing:
// engines, a dispatcher in front of them, and their output in one terminal.

import { SvcError } from "../runtime/base/errors.js";
import { DEFAULT_CHANNELS, MAX_CHANNELS, MAX_MAIN_PORT } from "../runtime/base/limits.js";
import { defineCommand, PROJECT_ARGUMENT } from "./framework/command.js";
import { integer, stringSetting } from "./framework/option.js";
import { projectFolder } from "./framework/project-folder.js";

/** Each engine is a process. */
const MAX_ENGINES = 32;
const SIZE_HELP = "<replicas>x<partitions>, e.g. 2x3";

export const matrix = defineCommand({
  name: "matrix",
  summary: "Serves a built project as a local dispatcher with engines.",
  arguments: [{ name: "<size>", required: true, help: SIZE_HELP }, PROJECT_ARGUMENT],
  options: {
    port: {
      kind: integer(0, MAX_MAIN_PORT),
      help: "dispatcher port; engines use the next ones (0: any free ports)",
    },
    channels: {
      kind: integer(1, MAX_CHANNELS),
      help: `maximum connections per engine (default: ${DEFAULT_CHANNELS})`,
    },
    root: {
      kind: stringSetting("<folder>"),
      help: "data folder, with one subfolder per instance",
    },
  },
  environment: false,
  async run([size, folder], values) {
    const shape = shapeOf(size!);
    const { LocalMatrix } = await import("./matrix/local-matrix.js");
    await new LocalMatrix(projectFolder(folder), shape, values).run();
    return 0;
  },
});

/** @throws SvcError SVC3012 */
function shapeOf(size: string): { readonly replicas: number; readonly partitions: number } {
  const match = /^(\d{1,2})x(\d{1,2})$/.exec(size);
  const replicas = Number(match?.[1] ?? 0);
  const partitions = Number(match?.[2] ?? 0);
  const engines = replicas * partitions;
  if (engines > 0 && engines <= MAX_ENGINES) return { replicas, partitions };
  const expected = `expected <replicas>x<partitions> of 1 to ${MAX_ENGINES} engines`;
  throw new SvcError("SVC3012", `${expected}, got ${JSON.stringify(size)}`);
}
