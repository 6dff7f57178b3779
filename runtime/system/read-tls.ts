// TLS settings of a system's instances and of their clients.

import { isPlainObject } from "../settings/rules.js";
import type { SystemTls } from "./descriptor.js";
import type { DescriptorErrors } from "./descriptor-errors.js";
import { rejectMisspelledKeys } from "./reject-misspelled-keys.js";

const KEYS = ["ca", "cert", "key", "name"] as const;
const TEXT = /^(?=.*\S)[^\p{Cc}]{1,4096}$/u;

/** Returns null if the instances use no TLS. */
export function readTls(given: unknown, errors: DescriptorErrors): SystemTls | null {
  if (given === undefined || given === null || given === false) return null;
  const dict = given === true ? {} : given;
  if (!isPlainObject(dict)) {
    errors.at("tls", "true, false or dict required");
    return null;
  }
  rejectMisspelledKeys(dict, KEYS, "tls.", errors);
  const present = KEYS.filter((key) => (dict[key] ?? null) !== null);
  for (const key of present) {
    const value = dict[key];
    if (typeof value === "string" && TEXT.test(value)) continue;
    errors.at(`tls.${key}`, "string required");
  }
  if (present.includes("cert") !== present.includes("key")) {
    errors.at("tls", "cert and key required, or neither");
  }
  return Object.fromEntries(present.map((key) => [key, dict[key]]));
}
