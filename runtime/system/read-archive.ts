// Reads the continuous backup of a descriptor.

import { type ArchiveConfig, PERIOD, PERIOD_FORM, PERIODS } from "../base/archive-config.js";
import { isPlainObject } from "../base/plain-object.js";
import { type DescriptorErrors, rejectUnknownKeys } from "./descriptor-errors.js";
import type { Instance, System } from "./system.js";

const PERIOD_NAMES = Object.keys(PERIODS) as (keyof typeof PERIODS)[];
const PLACE = /^(?=.*\S)[^\p{Cc}]{1,4096}$/u;

/** Returns null if the system has no continuous backup. */
export function readArchive(
  section: unknown,
  instances: ReadonlyMap<string, Instance>,
  errors: DescriptorErrors,
): System["archive"] {
  if (section === undefined || section === null) return null;
  if (!isPlainObject(section)) {
    errors.at("archive", "dict required");
    return null;
  }
  rejectUnknownKeys(section, ["from", "to", ...PERIOD_NAMES], "archive.", errors);
  const { from, to } = section;
  if (typeof to !== "string" || !PLACE.test(to)) {
    errors.at("archive.to", "folder or s3://bucket/prefix required");
  }
  for (const name of PERIOD_NAMES) {
    const value = section[name] ?? PERIODS[name];
    if (typeof value === "string" && PERIOD.test(value)) continue;
    errors.at(`archive.${name}`, `${PERIOD_FORM} required`);
  }
  const instance = typeof from === "string" ? instances.get(from) : undefined;
  if (instance === undefined) errors.at("archive.from", "instance required");
  else if (instance.type === "dispatch") errors.at("archive.from", "a dispatcher has no graphs");
  const { from: _, ...config } = section;
  return { from: String(from), config: config as unknown as ArchiveConfig };
}
