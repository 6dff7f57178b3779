// Preloaded into a server: while the file that FAILING_DISK names exists, no file can be flushed,
// as on a disk with an input/output error. A number in it delays flushes by these milliseconds
// instead. No file can be written in the folder DENIED_FOLDER.

import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const content = () => fs.readFileSync(process.env.FAILING_DISK, "utf8");

function fault() {
  const isFailing = fs.existsSync(process.env.FAILING_DISK) && content() === "";
  return isFailing ? Object.assign(new Error("EIO: i/o error, fdatasync"), { code: "EIO" }) : null;
}

const { fdatasync, fdatasyncSync } = fs;
fs.fdatasync = (descriptor, done) => {
  const error = fault();
  const flush = () => fdatasync(descriptor, done);
  if (error === null && fs.existsSync(process.env.FAILING_DISK)) setTimeout(flush, content());
  else if (error === null) flush();
  else process.nextTick(done, error);
};
fs.fdatasyncSync = (descriptor) => {
  const error = fault();
  if (error !== null) throw error;
  fdatasyncSync(descriptor);
};
const { openSync } = fs;
fs.openSync = (path, ...rest) => {
  const isDenied = rest[0] !== "r" && String(path).startsWith(`${process.env.DENIED_FOLDER}/`);
  const denial = { code: "EACCES", syscall: "open" };
  if (isDenied) throw Object.assign(new Error(`EACCES: ${path}`), denial);
  return openSync(path, ...rest);
};
syncBuiltinESMExports();
