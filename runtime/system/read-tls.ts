// Whether the instances of a system speak TLS, and what those who ask them believe and show.

import { isPlainObject } from "../settings/rules.js";
import type { SystemTls } from "./descriptor.js";
import type { DescriptorErrors } from "./descriptor-errors.js";
import { rejectMisspelledKeys } from "./reject-misspelled-keys.js";

const KEYS = ["ca", "cert", "key", "name"] as const;
const TEXT = /^(?=.*\S)[^\p{Cc}]{1,4096}$/u;

/** Null: they do not. */
export function readTls(given: unknown, complaints: DescriptorErrors): SystemTls | null {
  if (given === undefined || given === null || given === false) return null;
  const dict = given === true ? {} : given;
  if (!isPlainObject(dict)) {
    complaints.at("tls", "true, false or dict required");
    return null;
  }
  rejectMisspelledKeys(dict, KEYS, "tls.", complaints);
  const present = KEYS.filter((key) => (dict[key] ?? null) !== null);
  for (const key of present) {
    const value = dict[key];
    if (typeof value === "string" && TEXT.test(value)) continue;
    complaints.at(`tls.${key}`, "string required");
  }
  if (present.includes("cert") !== present.includes("key")) {
    complaints.at("tls", "cert and key required, or neither");
  }
  return Object.fromEntries(present.map((key) => [key, dict[key]]));
}
