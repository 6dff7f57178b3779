// Functions of Node.js with callbacks, as functions that return promises. Each call looks up the
// function in its module, so that simulations can replace it.

import * as fs from "node:fs";
import { promisify } from "node:util";
import * as zlib from "node:zlib";

/** Flushes a file. */
export const flushFile = promisify((descriptor: number, done: fs.NoParamCallback) =>
  fs.fsync(descriptor, done),
);

/** Flushes a file, except metadata that reading it does not require. */
export const flushData = promisify((descriptor: number, done: fs.NoParamCallback) =>
  fs.fdatasync(descriptor, done),
);

export const compress = promisify(
  (content: Uint8Array, options: zlib.ZlibOptions, done: zlib.CompressCallback) =>
    zlib.gzip(content, options, done),
);

export const decompress = promisify(
  (stored: Uint8Array, options: zlib.ZlibOptions, done: zlib.CompressCallback) =>
    zlib.gunzip(stored, options, done),
);
