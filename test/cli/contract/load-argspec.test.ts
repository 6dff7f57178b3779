// Argspecs from every source that a user may name, and errors of missing ones. The servers here
// send arbitrary responses.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { BUILTINS } from "../../../argspec/builtins.js";
import { fetchResponse } from "../../../cli/contract/fetch-response.js";
import { loadArgspec } from "../../../cli/contract/load-argspec.js";
import { loadRecords } from "../../../cli/contract/load-records.js";
import { SvcError } from "../../../runtime/base/errors.js";

const test = suite("loadArgspec");
const TEXT = JSON.stringify(BUILTINS);
let folder = "";
const servers: Server[] = [];

test.before(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-argspec-"));
  mkdirSync(join(folder, "project/.svc"), { recursive: true });
  mkdirSync(join(folder, "empty"));
  writeFileSync(join(folder, "project/.svc/argspec.json"), TEXT);
  writeFileSync(join(folder, "cut.json"), TEXT.slice(0, -1));
  writeFileSync(join(folder, "other.json"), '{"openapi": "3.1.0"}');
});

test.after(() => {
  rmSync(folder, { recursive: true });
  for (const server of servers) server.close().closeAllConnections();
});

/** Starts a server with one response to all requests; returns its URL. */
async function serveResponse(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  servers.push(server);
  await new Promise((resolve) => server.once("listening", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function serveEnvelope(envelope: unknown): Promise<string> {
  return serveResponse((_request, response) => response.end(JSON.stringify(envelope)));
}

async function assertRejects(work: Promise<unknown>, code: string, words: string): Promise<void> {
  const error = await work.then(
    () => assert.unreachable(words),
    (error: unknown) => error,
  );
  assert.instance(error, SvcError);
  assert.is((error as SvcError).code, code, String(error));
  assert.match((error as SvcError).message, words);
}

test("reads a file, a build folder and a project", async () => {
  for (const path of ["project/.svc/argspec.json", "project/.svc", "project"]) {
    assert.equal(await loadArgspec(join(folder, path)), BUILTINS);
  }
});

test("reports missing parts of a path", async () => {
  await assertRejects(loadArgspec(join(folder, "nowhere")), "SVC3014", "nowhere");
  await assertRejects(loadArgspec(join(folder, "empty")), "SVC3014", "run `svc build`");
  await assertRejects(loadArgspec(join(folder, "cut.json/")), "SVC3014", "cut.json/");
  await assertRejects(loadArgspec(join(folder, "x".repeat(5000))), "SVC3014", "xxx");
  const above = loadRecords(join(folder, "cut.json/x"), null);
  await assertRejects(above, "SVC3014", "cut.json/x is not a folder");
  await assertRejects(loadArgspec(join(folder, "cut.json")), "SVC3015", "cut.json: ");
  const otherFile = join(folder, "other.json");
  await assertRejects(
    loadArgspec(otherFile),
    "SVC3015",
    `${otherFile}: invalid argspec: the document: `,
  );
});

test("requests the argspec from a server, with the prefix of its service", async () => {
  const requests: string[] = [];
  const url = await serveResponse((request, response) => {
    requests.push(request.url!);
    response.end(JSON.stringify({ status: "OK", response: BUILTINS }));
  });
  for (const base of [url, `${url}/`, `${url}/shop//`]) {
    assert.equal(await loadArgspec(base), BUILTINS);
  }
  const path = "/svc/builtin/argspec?format=schema";
  assert.equal(requests, [path, path, `/shop${path}`]);
});

test("reports servers that do not respond, are older, or are of another kind", async () => {
  const dropping = await serveResponse((request) => request.socket.destroy());
  await assertRejects(loadArgspec(dropping), "SVC3016", `no response from ${dropping}: `);
  await assertRejects(loadArgspec("http://"), "SVC3016", "Invalid URL");
  const missing = { status: "ERROR", message: { svc: ["TypeError", "missing: plugin"] } };
  for (const envelope of [missing, { status: "OK", response: [] }]) {
    await assertRejects(
      loadArgspec(await serveEnvelope(envelope)),
      "SVC3017",
      "does not publish its argspec",
    );
  }
  for (const body of [null, 1, [], "OK", { status: "fine" }]) {
    await assertRejects(loadArgspec(await serveEnvelope(body)), "SVC3017", "not an svc server");
  }
  const page = await serveResponse((_request, response) => response.end("<html>"));
  await assertRejects(loadArgspec(page), "SVC3017", "not an svc server");
  const invalidServer = await serveEnvelope({ status: "OK", response: { argspec: 1 } });
  await assertRejects(loadArgspec(invalidServer), "SVC3015", `${invalidServer}: invalid argspec: `);
});

test("limits a response in bytes and time", async () => {
  let isClosed = false;
  const endless = await serveResponse((_request, response) => {
    const chunk = Buffer.alloc(1 << 20, " ");
    const write = () => {
      while (!isClosed && response.write(chunk));
    };
    response.on("drain", write).on("close", () => {
      isClosed = true;
    });
    write();
  });
  await assertRejects(loadArgspec(endless), "SVC3016", "exceeds 67108864 bytes");
  const silent = await serveResponse((_request, response) => response.write("{"));
  await assertRejects(fetchResponse(silent, "/", 50), "SVC3016", "timeout");
});

test("accepts records of a build or a server", async () => {
  const records = [{ path: "/svc/plugin/a", description: "", parameters: {}, bound_graph: null }];
  const requests: string[] = [];
  const url = await serveResponse((request, response) => {
    requests.push(request.url!);
    const exists = !request.url!.includes("none");
    response.end(
      JSON.stringify(exists ? { status: "OK", response: records } : { status: "ERROR" }),
    );
  });
  assert.equal(await loadRecords(url, null), records);
  assert.equal(await loadRecords(url, "a&b"), records);
  assert.equal(requests, ["/svc/builtin/plugins", "/svc/builtin/argspec?plugin=a%26b"]);
  await assertRejects(loadRecords(url, "none"), "SVC3018", "plugin not found: `none`");
  const older = await serveEnvelope({ status: "OK", response: {} });
  await assertRejects(loadRecords(older, null), "SVC3017", "does not publish plugin records");
  await assertRejects(loadRecords(join(folder, "cut.json"), null), "SVC3014", "is not a folder");
  await assertRejects(loadRecords(join(folder, "empty"), null), "SVC3014", "is not built");
});

test.run();
