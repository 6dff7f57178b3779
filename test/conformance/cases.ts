// Rules of HTTP for every transport, one raw conversation per case.

import { BODY_CASES } from "./body-cases.js";
import type { Case } from "./case.js";
import { CONNECTION_CASES } from "./connection-cases.js";
import { HEAD_CASES } from "./head-cases.js";
import { RESPONSE_CASES } from "./response-cases.js";

/** The body limit of the cases. */
export const MAX_BODY_BYTES = 512 * 1024;

export const CASES: readonly Case[] = [
  ...RESPONSE_CASES,
  ...HEAD_CASES,
  ...BODY_CASES,
  ...CONNECTION_CASES,
];
