// A log whose segments go away while they are read.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { LogGapError, LogPieces } from "../../../../runtime/interconnect/archive/log-pieces.js";
import { type Disk, realDisk } from "../../../../runtime/interconnect/log/disk.js";
import { segmentName } from "../../../../runtime/interconnect/log/segment-format.js";

const test = suite("pieces of a log");

function read(code: string): unknown {
  const disk: Disk = {
    ...realDisk,
    names: () => [segmentName(1)],
    open: () => {
      throw Object.assign(new Error(code), { code });
    },
  };
  try {
    return [...new LogPieces(disk, "/nowhere").read(null, 1)];
  } catch (error) {
    return error;
  }
}

test("a removed segment is a gap, which a new full backup closes", () => {
  assert.instance(read("ENOENT"), LogGapError);
});

test("an unreadable segment is still there: the backup waits for it", () => {
  const error = read("EACCES");
  assert.not.instance(error, LogGapError);
  assert.is((error as NodeJS.ErrnoException).code, "EACCES");
});

test.run();
