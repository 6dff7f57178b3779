// The descriptor of the system, where it is written as a program: `svc.system.ts` is run like
// `svc.config.ts`, checked, and becomes plain data that every instance and every tool reads.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { SvcError } from "../../runtime/base/errors.js";
import { isSystemProgram, SYSTEM_PROGRAMS } from "../../runtime/system/system-files.js";
import { evaluate } from "./evaluate.js";

export interface SystemFile {
  /** Text stored in the build. */
  readonly text: string;
  /** Files that it was read from, relative to the project. */
  readonly inputs: readonly string[];
  /** Whether its value may change without a change of its inputs. */
  readonly isOpen: boolean;
}

const EXPECTED = {
  name: "svc-server/system",
  contents: "export const defineSystem = (descriptor) => descriptor;",
  example: "`export default defineSystem({ … })`",
  code: "SVC1180",
} as const;

/**
 * @param configured file that the configuration names, relative to the project
 * @returns null where the project has no such program
 * @throws SvcError SVC1180 when it does not run, SVC1181 with everything that is wrong with it
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
    // The descriptor is what JSON can express, so that all readers agree.
    const descriptor: unknown = JSON.parse(JSON.stringify(value) ?? "null");
    readDescriptor(descriptor);
    return { text: `${JSON.stringify(descriptor, null, 2)}\n`, inputs, isOpen: openCode !== null };
  } catch (error) {
    throw new SvcError("SVC1181", `${file} is not valid\n  ${(error as Error).message}`, {
      cause: error,
    });
  }
}
