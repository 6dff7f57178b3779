// The commands of `svc`, in the order in which its help lists them.

import { admin } from "./admin.js";
import { argspec } from "./argspec.js";
import { argspecDiff } from "./argspec-diff.js";
import { backup } from "./backup.js";
import { backupVerify } from "./backup-verify.js";
import { build } from "./build.js";
import { check } from "./check.js";
import { client } from "./client.js";
import { completionCommand } from "./completion.js";
import { dev } from "./dev.js";
import { doctor } from "./doctor.js";
import { down } from "./down.js";
import type { Command } from "./framework/command.js";
import { graphExport } from "./graph-export.js";
import { graphImport } from "./graph-import.js";
import { graphRebuildVectors } from "./graph-rebuild-vectors.js";
import { init } from "./init.js";
import { key } from "./key.js";
import { logCheck } from "./log-check.js";
import { logRepair } from "./log-repair.js";
import { matrix } from "./matrix.js";
import { mcp } from "./mcp.js";
import { replay } from "./replay.js";
import { restore } from "./restore.js";
import { serve } from "./serve.js";
import { up } from "./up.js";

export const COMMANDS: readonly Command[] = [
  build,
  serve,
  dev,
  matrix,
  up,
  down,
  admin,
  check,
  init,
  doctor,
  key,
  argspec,
  argspecDiff,
  client,
  mcp,
  replay,
  graphImport,
  graphExport,
  graphRebuildVectors,
  backup,
  backupVerify,
  restore,
  logCheck,
  logRepair,
  completionCommand(() => COMMANDS),
];
