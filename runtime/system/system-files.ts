// Where the descriptor of a system is, if nobody names another file: as a program, which the build
// of the project evaluates, or as JSON.

/** In order of preference. */
export const SYSTEM_PROGRAMS = ["svc.system.ts", "svc.system.mjs", "svc.system.js"];
/** In order of preference, behind those. */
export const SYSTEM_DOCUMENTS = ["svc.system.json", "svc.cf"];

export function isSystemProgram(file: string): boolean {
  return /\.[cm]?[jt]s$/.test(file);
}
