// The real disk: files that it opens, and failures that it distinguishes.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openingError, realDisk } from "../../../runtime/interconnect/log/disk.js";

const test = suite<{ root: string; path: string }>("disk");

test.before.each((context) => {
  context.root = mkdtempSync(join(tmpdir(), "svc-disk-"));
  context.path = join(context.root, "file");
  writeFileSync(context.path, "content");
});

test.after.each(({ root }) => rmSync(root, { recursive: true }));

/** The code of the error that a call throws. */
function errorCode(run: () => unknown): unknown {
  try {
    run();
    return "none";
  } catch (error) {
    return (error as { code?: string }).code;
  }
}

test("writes only to files that were opened for it", ({ path }) => {
  for (const [mode, code] of [
    ["read", "EBADF"],
    ["write", "none"],
  ] as const) {
    const file = realDisk.open(path, mode);
    assert.is(
      errorCode(() => file.write(Buffer.from("C"), 0)),
      code,
    );
    const bytes = Buffer.alloc(9);
    assert.is(file.read(bytes, 1), 6);
    assert.is(bytes.toString("latin1", 0, 6), "ontent");
    file.close();
  }
});

test("a folder that is missing has no names, a file is no folder", ({ root, path }) => {
  assert.equal(realDisk.names(join(root, "missing")), []);
  assert.equal(realDisk.names(root), ["file"]);
  assert.is(
    errorCode(() => realDisk.names(path)),
    "SVC2504",
  );
  assert.is(
    errorCode(() => realDisk.open(join(path, "x"), "read")),
    "SVC2504",
  );
  assert.is(
    errorCode(() => realDisk.open(join(root, "missing"), "read")),
    "ENOENT",
  );
});

test("distinguishes missing permissions and the limit of open files from other failures", () => {
  const codes = ["EACCES", "EPERM", "EROFS", "EMFILE", "ENFILE", "EIO"];
  const errors = codes.map((code) => Object.assign(new Error(code), { code }));
  assert.equal(
    errors.map((error) => (openingError(error) as { code: string }).code),
    ["SVC2504", "SVC2504", "SVC2504", "SVC3093", "SVC3093", "EIO"],
  );
});

test.run();
