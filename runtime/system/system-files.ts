// File names of system descriptors: programs, evaluated by the project's build, or JSON.

/** In order of preference. */
export const SYSTEM_PROGRAMS = ["svc.system.ts", "svc.system.mjs", "svc.system.js"];
/** In order of preference, after the programs. */
export const SYSTEM_DOCUMENTS = ["svc.system.json", "svc.cf"];

export function isSystemProgram(file: string): boolean {
  return /\.[cm]?[jt]s$/.test(file);
}
