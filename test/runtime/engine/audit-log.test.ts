// Entries of the audit log: which requests it contains, and what it says of them.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { SvcError } from "../../../runtime/base/errors.js";
import { AuditLog, formatDetails } from "../../../runtime/engine/audit-log.js";
import type { Exchange } from "../../../runtime/http/transport.js";

const test = suite("audit log");
const folder = mkdtempSync(join(tmpdir(), "svc-audit-"));
test.after(() => rmSync(folder, { recursive: true }));

function exchange(parts: Partial<Exchange>): Exchange {
  const headers = { requestId: null };
  const connection = { remoteAddress: "192.0.2.1" };
  const rest = { method: "POST", audited: null, principal: null, forwardedFor: null };
  return { ...rest, headers, connection, ...parts } as unknown as Exchange;
}

async function entries(
  name: string,
  answered: readonly [Partial<Exchange>, number][],
): Promise<Record<string, unknown>[]> {
  const path = join(folder, name);
  const log = new AuditLog(path);
  log.open();
  for (const [parts, status] of answered) log.answered(exchange(parts), 0, status);
  await log.close();
  const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => {
    const { time, pid, level, msg, ...entry } = JSON.parse(line);
    return entry;
  });
}

test("names what was changed, and no other parameter", async () => {
  const target = "/svc/builtin/createvertex?graph=g&id=caf%C3%A9&properties=%7B%22p%22%3A1%7D";
  const principal = '{"name":"clerk","secret":"s"}';
  assert.equal(await entries("change", [[{ target, audited: "change", principal }, 200]]), [
    {
      ...{ audit: "change", method: "POST", path: "/svc/builtin/createvertex", status: 200 },
      ...{ port: "main", client: "192.0.2.1", principal: "clerk", graph: "g", id: "café" },
    },
  ]);
});

test("contains operations without their tokens", async () => {
  const target = "/svc/builtin/ADMIN_Persist?authtoken=abc&id=x";
  const [entry] = await entries("operation", [[{ target, audited: "operation" }, 200]]);
  assert.is(entry!.path, "/svc/builtin/ADMIN_Persist");
  assert.not.match(JSON.stringify(entry), /abc|"id"/);
});

test("omits other requests, and counts refusals above 20 per second", async () => {
  const target = "/svc/plugin/x?secret=s";
  const refused = Array.from({ length: 100 }, () => [{ target }, 401] as [object, number]);
  const last: [object, number] = [{ target: "/svc/builtin/define", audited: "change" }, 500];
  const found = await entries("refused", [[{ target }, 200], ...refused, [{ target }, 404], last]);
  const listed = found.filter(({ path }) => path === "/svc/plugin/x");
  assert.ok(listed.length >= 20 && listed.length < 100);
  const counted = found.find(({ refusals }) => refusals !== undefined);
  assert.is(listed.length + (counted!.refusals as number), 100);
  assert.is(found.at(-1)!.status, 500);
  assert.not.match(JSON.stringify(found), "secret");
});

test("counts the last refusals when it is closed", async () => {
  const refused = Array.from({ length: 100 }, () => [{ target: "/x" }, 401] as [object, number]);
  const found = await entries("closed", refused);
  const listed = found.filter(({ path }) => path === "/x");
  assert.is(listed.length + ((found.at(-1)!.refusals as number) ?? 0), 100);
});

test("quotes values that could pass for other fields of a line", () => {
  const details = { path: "/a?b", id: "x\nsvc: audit: status=200", status: 500, graph: "" };
  assert.is(
    formatDetails(details),
    'path=/a?b id="x\\nsvc: audit: status=200" status=500 graph=""',
  );
});

test("refuses to open a file that cannot be written", () => {
  const log = new AuditLog(join(folder, "missing", "file"));
  assert.throws(
    () => log.open(),
    (error: SvcError) =>
      error.code === "SVC2891" && /cannot be written: ENOENT/.test(error.message),
  );
});

test.run();
