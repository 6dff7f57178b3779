// Files that are rotated by size, and disks that are full.

import fs, {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { RotatingFile } from "../../../runtime/base/rotating-file.js";

interface Context {
  folder: string;
  path: string;
  failures: string[];
}

const test = suite<Context>("rotating file");

test.before.each((context) => {
  context.folder = mkdtempSync(join(tmpdir(), "svc-rotating-"));
  context.path = join(context.folder, "lines");
  context.failures = [];
});
test.after.each(({ folder }) => rmSync(folder, { recursive: true }));

function open({ path, failures }: Context, maxBytes: number, rotated = 2): RotatingFile {
  const file = new RotatingFile(path, { maxBytes, rotated }, (reason) => failures.push(reason));
  file.open();
  return file;
}

test("keeps the newest files", async (context) => {
  const { path } = context;
  const file = open(context, 10);
  for (let number = 0; number < 8; number++) assert.is(file.write(`line ${number}`), 0);
  await file.close();
  const read = (suffix: string): string => readFileSync(`${path}${suffix}`, "utf8");
  assert.equal(
    [read(""), read(".1"), read(".2")],
    ["line 6\nline 7\n", "line 4\nline 5\n", "line 2\nline 3\n"],
  );
  assert.not.ok(existsSync(`${path}.3`));
  assert.is(statSync(path).mode & 0o777, 0o600);
});

test("continues a file, and isolates a partial line", async (context) => {
  writeFileSync(context.path, "half");
  const file = open(context, 1000);
  file.write("line");
  await file.close();
  assert.is(readFileSync(context.path, "utf8"), "half\nline\n");
});

test("loses no line if the file cannot be renamed", async (context) => {
  const { path, failures } = context;
  mkdirSync(`${path}.1`);
  const file = open(context, 10, 1);
  for (let number = 0; number < 8; number++) assert.is(file.write(`line ${number}`), 0);
  await file.close();
  assert.is(readFileSync(path, "utf8").split("\n").length, 9);
  assert.ok(failures.length > 0);
});

test("counts lines that a full disk cannot take", async (context) => {
  const file = open({ ...context, path: "/dev/full" }, 1000);
  assert.is(file.write("lost"), 0);
  while (context.failures.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.match(context.failures[0]!, "ENOSPC");
  assert.is(file.write("also lost"), -1);
  assert.is(await file.close(), 2, "a line that failed is lost, too");
});

test("counts no lost line twice", async (context) => {
  const file = open({ ...context, path: "/dev/full" }, 1000);
  file.write("lost");
  while (context.failures.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const { now } = performance;
  performance.now = () => now.call(performance) + 1000;
  try {
    assert.is(file.write("lost in another file"), 1);
    assert.is(await file.close(), 1);
  } finally {
    performance.now = now;
  }
});

test("counts lines that a rotated file could not take", async (context) => {
  symlinkSync("/dev/full", context.path);
  const file = open(context, 10);
  const { writev } = fs;
  // These lines fail after the current file is complete.
  fs.writev = ((...parameters: Parameters<typeof writev>) => {
    fs.writev = writev;
    setTimeout(() => writev(...parameters), 20);
  }) as typeof writev;
  for (let number = 0; number < 3; number++) assert.is(file.write(`line ${number}`), 0);
  assert.is(await file.close(), 2);
  assert.is(readFileSync(context.path, "utf8"), "line 2\n");
});

test.run();
