// File descriptors of this process, from the `proc` file system.

import { readdirSync, readFileSync } from "node:fs";

const LIMIT = /^Max open files\s+(\d+)/m;

/** Returns null if there is no `proc` file system. */
export function openDescriptors(): { readonly open: number; readonly limit: number } | null {
  try {
    const open = readdirSync("/proc/self/fd").length;
    const limit = LIMIT.exec(readFileSync("/proc/self/limits", "latin1"));
    return limit === null ? null : { open, limit: Number(limit[1]) };
  } catch {
    return null;
  }
}
