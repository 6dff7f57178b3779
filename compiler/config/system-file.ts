// A system descriptor written as a program: `svc.system.ts` is evaluated like `svc.config.ts`,
// checked, and stored as data for all instances and tools.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { SvcError } from "../../runtime/base/errors.js";
import { isSystemProgram, SYSTEM_PROGRAMS } from "../../runtime/system/system-files.js";
import { evaluate } from "./evaluate.js";

export interface SystemFile {
  /** Text stored in the build. */
  readonly text: string;
  /** Files that it depends on, relative to the project. */
  readonly inputs: readonly string[];
  /** True if its value can change although its inputs do not. */
  readonly isOpen: boolean;
}

const EXPECTED = {
  name: "svc-server/system",
  contents: "export const defineSystem = (descriptor) => descriptor;",
  example: "`export default defineSystem({ … })`",
  code: "SVC1180",
} as const;

/**
 * @param configured file named by the configuration, relative to the project
 * @returns null if the project has no such program
 * @throws SvcError SVC1180 if it does not run, SVC1181 with all problems if it is invalid
 */
export async function loadSystemFile(
  projectDir: string,
  configured: string | null,
): Promise<SystemFile | null> {
  const names = configured === null ? SYSTEM_PROGRAMS : [configured].filter(isSystemProgram);
  const file = names.find((name) => existsSync(join(projectDir, name)));
  if (file === undefined) return null;
  const { value, inputs, openCode } = await evaluate(projectDir, file, EXPECTED);
  const { readDescriptor } = await import("../../runtime/system/read-descriptor.js");
  try {
    // Convert to JSON, so that all readers see the same descriptor.
    const descriptor: unknown = JSON.parse(JSON.stringify(value) ?? "null");
    readDescriptor(descriptor);
    return { text: `${JSON.stringify(descriptor, null, 2)}\n`, inputs, isOpen: openCode !== null };
  } catch (error) {
    throw new SvcError("SVC1181", `${file} is not valid\n  ${(error as Error).message}`, {
      cause: error,
    });
  }
}
