// Preloaded into a server: while the file that FAILING_DISK names exists, no file can be flushed,
// as on a disk with an input/output error.

import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

function fault() {
  const isFailing = fs.existsSync(process.env.FAILING_DISK);
  return isFailing ? Object.assign(new Error("EIO: i/o error, fdatasync"), { code: "EIO" }) : null;
}

const { fdatasync, fdatasyncSync } = fs;
fs.fdatasync = (descriptor, done) => {
  const error = fault();
  if (error === null) fdatasync(descriptor, done);
  else process.nextTick(done, error);
};
fs.fdatasyncSync = (descriptor) => {
  const error = fault();
  if (error !== null) throw error;
  fdatasyncSync(descriptor);
};
syncBuiltinESMExports();
