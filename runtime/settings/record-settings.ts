// Settings of records: where requests and their answers are written, to be replayed later.

import { DEFAULT_RECORD_MB, MAX_MEMORY_MB } from "../base/limits.js";
import { setting } from "./setting.js";
import { booleanSetting, file, integer, optional } from "./setting-types.js";

export const RECORD_SETTINGS = {
  /** File to which requests for plugins and their answers are added; null: none is. */
  recordFile: setting({
    key: "record.file",
    type: optional(file),
    default: [null, "none"],
    option: "record",
    help: "file to which requests for plugins and their answers are added, for `svc replay`",
    optionHelp: "file to which requests for plugins and their answers are added, for svc replay",
  }),
  /** One of so many requests is recorded. Default 1. */
  recordEvery: setting({
    key: "record.every",
    type: integer(1, Number.MAX_SAFE_INTEGER),
    default: [1],
    option: "record-every",
    help: "one of so many requests is recorded",
  }),
  /** Whether bodies of requests and answers are recorded, too. Default false. */
  recordBodies: setting({
    key: "record.bodies",
    type: booleanSetting(),
    default: [false],
    option: "record-bodies",
    help: "whether bodies of requests and answers are recorded, too, up to 64 KiB each",
    optionHelp: "record bodies of requests and answers, too, up to 64 KiB each",
  }),
  /** Size in MiB at which the record ends. Default 100. */
  recordMb: setting({
    key: "record.maxMb",
    type: integer(1, MAX_MEMORY_MB),
    default: [DEFAULT_RECORD_MB],
    option: "record-max-mb",
    help: "size of the file in MiB at which the record ends",
  }),
};
