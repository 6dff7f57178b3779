// Type of the setting for a continuous backup: its location, or an object with location and
// periods.

import { type ArchiveConfig, PERIOD, PERIOD_FORM } from "../base/archive-config.js";
import { isPlainObject } from "../base/plain-object.js";
import { nullable, object, string, withDefault } from "./rules.js";
import type { SettingType } from "./setting-types.js";

const FORM = "a folder or s3://bucket/prefix";
/** Opening the location validates the rest. */
const location = string(FORM, /^(?=.*\S)[^\p{Cc}]+$/u);
const period = withDefault<string | null | undefined>(nullable(string(PERIOD_FORM, PERIOD)), null);

const config = object<ArchiveConfig>({
  ...{ to: location, every: period, full: period, keep: period, verify: period },
});

export const archive: SettingType<string | ArchiveConfig> = {
  rule: (value, path, problems) =>
    (isPlainObject(value) ? config : location)(value, path, problems),
  expected: FORM,
  placeholder: "<location>",
  read: (text) => text,
};
