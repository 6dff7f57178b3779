// Backups in a bucket of a real server with the S3 interface.
// limit: 60 s

import { createServer, type Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openStore } from "../../../../runtime/interconnect/archive/open-store.js";
import { planRestore } from "../../../../runtime/interconnect/archive/restore-plan.js";
import { restoreRoot } from "../../../../runtime/interconnect/archive/restore-root.js";
import { S3Store } from "../../../../runtime/interconnect/archive/s3-store.js";
import { verifyBackup } from "../../../../runtime/interconnect/archive/verify-backup.js";
import { same } from "../support/instance.js";
import {
  begin,
  type InstancesContext,
  rejectionCode,
  withInstances,
} from "../support/instances.js";
import { ALWAYS, createWriter, step } from "./support.js";

interface S3Server {
  run(): Promise<AddressInfo>;
  close(): Promise<void>;
  readonly httpServer: Server;
}

type S3ServerClass = new (options: object) => S3Server;

const S3rver = createRequire(import.meta.url)("@20minutes/s3rver") as S3ServerClass;

interface Context extends InstancesContext {
  server: S3Server;
  environment: Record<string, string>;
}

const test = suite<Context>("s3 store");
withInstances(test as never);

test.before.each(async (context) => {
  context.server = new S3rver({
    ...{ address: "127.0.0.1", port: 0, silent: true, directory: join(context.folder, "s3") },
    configureBuckets: [{ name: "backups", configs: [] }],
  });
  const { port } = await context.server.run();
  context.environment = {
    ...{ AWS_ACCESS_KEY_ID: "S3RVER", AWS_SECRET_ACCESS_KEY: "S3RVER" },
    AWS_ENDPOINT_URL: `http://127.0.0.1:${port}/`,
  };
});

test.after.each(async ({ server }) => {
  if (!server.httpServer.listening) return;
  server.httpServer.closeAllConnections();
  await server.close();
});

test("writes, lists and removes objects, and creates an object only once on request", async ({
  environment,
}) => {
  const store = await S3Store.open("s3://backups/a/b", { environment, pageSize: 2 });
  const otherStore = await S3Store.open("s3://backups", { environment });
  await otherStore.put("a/c/objects/0", Buffer.from("not part of it"));
  assert.is(await store.get("objects/1", 10), null);
  for (const name of ["1", "2", "3", "4", "5"]) {
    await store.put(`objects/${name}`, Buffer.from(name));
  }
  await store.put("objects/1", Buffer.from("again"));
  assert.is(String(await store.get("objects/1", 5)), "again");
  assert.is(await rejectionCode(store.get("objects/1", 4)), "SVC3422");
  assert.equal(
    [
      await store.putNew("objects/1", Buffer.from("x")),
      await store.putNew("m/1", Buffer.from("x")),
    ],
    [false, true],
  );
  assert.is(await store.has("objects/3"), true);
  await store.remove("objects/3");
  await store.remove("objects/3");
  assert.is(await store.has("objects/3"), false);
  const names: string[] = [];
  for await (const { name, modifiedAt } of store.list("objects/")) {
    names.push(name);
    assert.ok(Math.abs(modifiedAt - Date.now()) < 3_600_000);
  }
  assert.equal(
    names.sort(),
    ["1", "2", "4", "5"].map((name) => `objects/${name}`),
  );
});

test("restores from a bucket what was backed up there", async (context) => {
  const { environment, folder } = context;
  const instance = await begin(context, "a");
  instance.graph().createVertex("before");
  await instance.save();
  const uri = "s3://backups/one";
  for (const periods of [ALWAYS, ALWAYS, undefined]) {
    instance.graph().count("x", "y", "z");
    await step(instance, createWriter(context, periods, await S3Store.open(uri, { environment })));
  }
  const store = await S3Store.open(uri, { environment });
  assert.is((await verifyBackup(store, folder)).fulls, 2);
  await restoreRoot(store, await planRestore(store, { kind: "end" }), join(folder, "b"));
  await same(instance, await begin(context, "b"));
});

test("reports why a bucket cannot be used", async ({ environment, server }) => {
  const failure = async (uri: string, changed: Record<string, string> = {}): Promise<string> => {
    try {
      const store = await S3Store.open(uri, { environment: { ...environment, ...changed } });
      await store.get("latest.json", 100);
      return "none";
    } catch (error) {
      const { code, message } = error as Error & { code: string };
      return `${code}: ${message}`;
    }
  };
  assert.match(await failure("s3://missing"), /^SVC3422: s3:\/\/missing: .*NoSuchBucket/);
  const wrongSecret = { AWS_SECRET_ACCESS_KEY: "wrong" };
  assert.match(await failure("s3://backups", wrongSecret), /^SVC3422: .*403 SignatureDoesNotMatch/);
  const emptyKeyId = { AWS_ACCESS_KEY_ID: "" };
  assert.match(await failure("s3://backups", emptyKeyId), /^SVC3422: .*AWS_ACCESS_KEY_ID/);
  assert.match(await failure("s3://backups", { AWS_ENDPOINT_URL: "x" }), /^SVC3422: .*not a URL/);
  for (const uri of ["s3:", "s3://", "s3://A", "s3://a b", "s3://abc/d?e", "s3://abc//d"]) {
    assert.match(await failure(uri), /^SVC3422: .*s3:\/\/bucket\/prefix/, uri);
  }
  assert.is(await rejectionCode(openStore("s3:nothing")), "SVC3422");
  const { port } = server.httpServer.address() as AddressInfo;
  server.httpServer.closeAllConnections();
  await server.close();
  assert.match(await failure("s3://backups"), new RegExp(`^SVC3422: .*${port}`));
});

test("gives up requests without a response, and responses without an end", async (context) => {
  const silent = createServer(({ method }, response) => {
    if (method === "HEAD") return;
    response.writeHead(200, { "Content-Length": 10 });
    response.write("begin");
  });
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  // A collected request loses its signal, so the limit must not depend on it.
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const collecting = setInterval(collect, 20);
  try {
    const { port } = silent.address() as AddressInfo;
    const environment = { ...context.environment, AWS_ENDPOINT_URL: `http://127.0.0.1:${port}` };
    const store = await S3Store.open("s3://backups", { environment, timeoutMs: 500 });
    assert.is(await rejectionCode(store.has("latest.json")), "SVC3422");
    assert.is(await rejectionCode(store.get("latest.json", 100)), "SVC3422");
  } finally {
    clearInterval(collecting);
    silent.closeAllConnections();
    silent.close();
  }
});

test.run();
