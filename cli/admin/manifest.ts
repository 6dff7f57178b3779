// `svc admin manifest`: writes the files with which a platform schedules, restarts and probes the
// instances of a system.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { didYouMean } from "../../runtime/base/did-you-mean.js";
import { SvcError } from "../../runtime/base/errors.js";
import type { System } from "../../runtime/system/system.js";
import type { AdminContext, VerbArguments } from "./context.js";
import { compose } from "./manifest/compose.js";
import { helm, kubernetes } from "./manifest/kubernetes.js";
import { nomad } from "./manifest/nomad.js";
import type { Manifests } from "./manifest/placement.js";
import { systemd } from "./manifest/systemd.js";

const TARGETS: ReadonlyMap<string, (system: System) => Manifests> = new Map([
  ["systemd", systemd],
  ["kubernetes", kubernetes],
  ["helm", helm],
  ["nomad", nomad],
  ["compose", compose],
]);

/** @throws SvcError SVC3003 for an unknown platform, SVC2810 if files cannot be written */
export async function run(context: AdminContext, { ids }: VerbArguments): Promise<number> {
  const names = [...TARGETS.keys()];
  const generate = TARGETS.get(ids ?? "");
  if (generate === undefined) {
    const hint = didYouMean(ids ?? "", names);
    throw new SvcError("SVC3003", `manifest: expected ${names.join(", ")}${hint}`);
  }
  const files = generate(context.system);
  const { out } = context.values;
  if (out === undefined) {
    const shown = [...files].map(([name, text]) => `# ${name}\n${text}`);
    context.print(Object.fromEntries(files), [shown.join("\n")]);
    return 0;
  }
  const written = writeAll(resolve(out), files);
  context.print(written, written);
  return 0;
}

/** Replaces existing files: manifests are regenerated whenever the system changes. */
function writeAll(folder: string, files: Manifests): string[] {
  try {
    return [...files].map(([name, text]) => {
      const path = join(folder, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      return path;
    });
  } catch (error) {
    throw new SvcError("SVC2810", (error as Error).message, { cause: error });
  }
}
