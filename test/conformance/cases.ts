// The rules of HTTP that every transport keeps, one raw conversation a case.

import { ANSWER_CASES } from "./answer-cases.js";
import { BODY_CASES } from "./body-cases.js";
import type { Case } from "./case.js";
import { CONNECTION_CASES } from "./connection-cases.js";
import { HEAD_CASES } from "./head-cases.js";

/** The body limit that the cases are written for. */
export const MAX_BODY_BYTES = 512 * 1024;

export const CASES: readonly Case[] = [
  ...ANSWER_CASES,
  ...HEAD_CASES,
  ...BODY_CASES,
  ...CONNECTION_CASES,
];
