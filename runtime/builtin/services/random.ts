// Random texts for transfer tests, which can be neither cached nor compressed.

import { randomBytes, randomInt } from "node:crypto";
import { textService } from "../service.js";

const BLOCK_BYTES = 16;
const MAX_BLOCKS = 2048;

/** 16 hex digits. */
export const randomInteger = textService(() => randomBytes(8).toString("hex"));

/** 1 to 2048 times 32 hex digits. */
export const randomText = textService(() =>
  randomBytes(BLOCK_BYTES * randomInt(1, MAX_BLOCKS + 1)).toString("hex"),
);
