// Rows of the table of settings: recording of requests and responses for replays.

import { setting } from "./setting.js";
import { booleanSetting, file, integer, optional } from "./setting-types.js";

export const RECORD_SETTINGS = {
  /** File to record plugin requests and responses to; null: no recording. */
  recordFile: setting({
    key: "record.file",
    type: optional(file),
    default: [null, "none"],
    option: "record",
    help: "file to record plugin requests and responses to, for `svc replay`",
    optionHelp: "file to record plugin requests and responses to, for svc replay",
  }),
  /** Records one in this many requests. Default 1. */
  recordSampleEvery: setting({
    key: "record.sampleEvery",
    type: integer(1, Number.MAX_SAFE_INTEGER),
    default: [1],
    option: "record-sample-every",
    help: "record one in n requests",
  }),
  /** Whether bodies of requests and responses are recorded, up to 64 KiB each. Default false. */
  recordBodies: setting({
    key: "record.bodies",
    type: booleanSetting(),
    default: [false],
    option: "record-bodies",
    help: "record request and response bodies up to 64 KiB",
  }),
};
