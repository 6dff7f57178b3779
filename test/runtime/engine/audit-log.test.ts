// Entries of the audit log: the requests that it contains, and their fields.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { SvcError } from "../../../runtime/base/errors.js";
import { AuditLog, formatDetails } from "../../../runtime/engine/audit-log.js";
import {
  INVALID_HEADER,
  TOO_MANY_CONNECTIONS,
  TOO_MANY_REQUESTS,
} from "../../../runtime/http/rejections.js";
import type { Exchange } from "../../../runtime/http/transport.js";

const test = suite("audit log");
const folder = mkdtempSync(join(tmpdir(), "svc-audit-"));
test.after(() => rmSync(folder, { recursive: true }));

function exchange(parts: Partial<Exchange>): Exchange {
  const headers = { requestId: null };
  const connection = { remoteAddress: "192.0.2.1" };
  const rest = {
    ...{ method: "POST", audited: null, principal: null, forwardedFor: null },
    requestId: "r-1",
  };
  return { ...rest, headers, connection, ...parts } as unknown as Exchange;
}

async function entries(
  name: string,
  responses: readonly [Partial<Exchange>, number][],
): Promise<Record<string, unknown>[]> {
  const path = join(folder, name);
  const log = new AuditLog(path);
  log.open();
  for (const [parts, status] of responses) log.recordResponse(exchange(parts), 0, status);
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
      ...{ port: "main", client: "192.0.2.1", principal: "clerk", request: "r-1" },
      ...{ graph: "g", id: "café" },
    },
  ]);
});

test("contains operations without their tokens", async () => {
  const target = "/svc/builtin/ADMIN_Persist?authtoken=abc&id=x";
  const [entry] = await entries("operation", [[{ target, audited: "operation" }, 200]]);
  assert.is(entry!.path, "/svc/builtin/ADMIN_Persist");
  assert.not.match(JSON.stringify(entry), /abc|"id"/);
});

test("omits other requests, and counts a client's rejections after the first ones", async () => {
  const target = "/svc/plugin/x?secret=s";
  const rejectedRequests = Array.from({ length: 100 }, () => [{ target }, 401] as [object, number]);
  const last: [object, number] = [{ target: "/svc/builtin/define", audited: "change" }, 500];
  const otherClient: [object, number] = [{ target: "/y", forwardedFor: "192.0.2.2" }, 401];
  const exchanges = [
    [{ target }, 200] as [object, number],
    ...rejectedRequests,
    [{ target }, 404],
    last,
    otherClient,
  ];
  const logged = await entries("refused", exchanges as [object, number][]);
  assert.equal(
    logged.map(({ path, refusals }) => path ?? refusals),
    [...Array(10).fill("/svc/plugin/x"), "/svc/builtin/define", "/y", 90],
  );
  assert.equal(logged.at(-1), { audit: "refused", status: 401, client: "192.0.2.1", refusals: 90 });
  assert.not.match(JSON.stringify(logged), "secret");
});

test("contains connections and requests that the transport refused", async () => {
  const path = join(folder, "transport");
  const log = new AuditLog(path);
  log.open();
  log.recordRejection(1, TOO_MANY_CONNECTIONS, "192.0.2.3", null);
  log.recordRejection(
    0,
    TOO_MANY_REQUESTS,
    "192.0.2.1",
    exchange({ target: "/svc/plugin/x?secret=s" }),
  );
  log.recordRejection(0, INVALID_HEADER, "192.0.2.1", exchange({ target: "/bad" }));
  await log.close();
  const [connection, request, ...others] = readFileSync(path, "utf8").trim().split("\n");
  assert.equal(others, []);
  const { status, port, client, reason, request: id } = JSON.parse(connection!);
  assert.equal([status, port, client, reason], [429, "admin", "192.0.2.3", "connections"]);
  assert.match(id, /^[0-9a-f-]{36}$/);
  const parsed = JSON.parse(request!);
  assert.equal([parsed.path, parsed.reason, parsed.request], ["/svc/plugin/x", "rate", "r-1"]);
});

test("names the requests that it will contain", () => {
  const log = new AuditLog(join(folder, "named"));
  const ids = (["plugin", "change", "control", "service"] as const).map((kind) => {
    const request = exchange({ requestId: null });
    log.admit(request, kind);
    return [request.audited, request.requestId !== null];
  });
  assert.equal(ids, [
    [null, false],
    ["change", true],
    ["operation", true],
    [null, false],
  ]);
  const ownExchange = exchange({ requestId: "own" });
  log.admit(ownExchange, "change");
  assert.is(ownExchange.requestId, "own");
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

test("reports the entries that are still lost when it closes", async () => {
  const { write } = process.stderr;
  let text = "";
  process.stderr.write = (chunk: string | Uint8Array): boolean => {
    text += chunk.toString();
    return true;
  };
  try {
    const log = new AuditLog("/dev/full");
    log.open();
    log.recordResponse(exchange({ target: "/svc/builtin/x", audited: "change" }), 0, 200);
    await log.close();
  } finally {
    process.stderr.write = write;
  }
  assert.match(text, /audit log: 1 entries lost/);
});

test.run();
