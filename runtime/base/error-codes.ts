// The one table of error codes, by area. Tests assert codes, never words.

import { COMMAND_CODES } from "./command-codes.js";
import { COMPILER_CODES } from "./compiler-codes.js";
import type { ErrorCode } from "./error-code.js";
import { RUNTIME_CODES } from "./runtime-codes.js";

const table = { ...COMPILER_CODES, ...RUNTIME_CODES, ...COMMAND_CODES };

export type ErrorCodeName = keyof typeof table;
export const ERROR_CODES: Readonly<Record<ErrorCodeName, ErrorCode>> = table;

/** Returns whether a code is in the table. */
export function isErrorCode(code: string): code is ErrorCodeName {
  return Object.hasOwn(table, code);
}
