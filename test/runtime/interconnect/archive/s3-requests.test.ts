// Requests to a store with the S3 interface that a test scripts.

import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { S3Store } from "../../../../runtime/interconnect/archive/s3-store.js";

interface Context {
  server: Server;
  requests: IncomingMessage[];
  /** Statuses of the next answers; 200 follows. 0 breaks the connection, 1 in the body. */
  statuses: number[];
  /** Bodies of the next answers. */
  bodies: string[];
  open: (environment?: Record<string, string>) => Promise<S3Store>;
}

const test = suite<Context>("s3 requests");

test.before.each(async (context) => {
  const [requests, statuses]: [IncomingMessage[], number[]] = [[], []];
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    request.resume().on("end", () => {
      const status = statuses.shift() ?? 200;
      if (status === 0) return request.socket.destroy();
      const location = status === 301 ? { Location: "http://127.0.0.1:1/x" } : {};
      response.writeHead(status === 1 ? 200 : status, location);
      if (status !== 1) return response.end(bodies.shift() ?? "<Code>Told</Code>");
      response.write("<Co");
      return setTimeout(() => request.socket.destroy(), 10);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const open = (environment: Record<string, string> = {}): Promise<S3Store> => {
    const keys = { AWS_ACCESS_KEY_ID: "key", AWS_SECRET_ACCESS_KEY: "secret" };
    const variables = { ...keys, AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`, ...environment };
    return S3Store.open("s3://backups/a", { environment: variables });
  };
  Object.assign(context, { server, requests, statuses, bodies, open });
});

test.after.each(async ({ server }) => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function failure(call: Promise<unknown>): Promise<string> {
  return call.then(
    (value) => `none, ${value}`,
    ({ message }: Error) => message,
  );
}

test("are signed for the region, and carry the token of the session", async (context) => {
  for (const [environment, region] of [
    [{}, "us-east-1"],
    [{ AWS_DEFAULT_REGION: "one" }, "one"],
    [{ AWS_REGION: "two", AWS_DEFAULT_REGION: "one" }, "two"],
  ] as const) {
    await (await context.open(environment)).put("x", Buffer.from("1"));
    const { headers } = context.requests.at(-1)!;
    assert.match(headers.authorization!, `/${region}/s3/`);
    assert.is(headers["x-amz-security-token"], undefined);
  }
  await (await context.open({ AWS_SESSION_TOKEN: "token" })).put("x", Buffer.from("1"));
  assert.is(context.requests.at(-1)!.headers["x-amz-security-token"], "token");
});

test("go to the endpoint of S3 before that of all services", async ({ open, requests, server }) => {
  const { port } = server.address() as AddressInfo;
  const store = await open({
    AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}/s3//`,
    AWS_ENDPOINT_URL: "http://127.0.0.1:1",
  });
  await store.put("x", Buffer.from("1"));
  assert.is(requests.at(-1)!.url, "/s3/backups/a/x");
});

test("create an object only where there is none", async ({ open, requests, statuses }) => {
  const store = await open();
  const putNew = (...statusCodes: readonly number[]): Promise<string> => {
    statuses.splice(0, statuses.length, ...statusCodes);
    return failure(store.putNew("x", Buffer.from("1")));
  };
  assert.is(await putNew(404, 200), "none, true");
  const [head, put] = requests.slice(-2);
  assert.equal([head!.method, put!.method], ["HEAD", "PUT"]);
  assert.is(put!.headers["if-none-match"], "*");
  assert.is(await putNew(200), "none, false");
  for (const status of [409, 412]) assert.is(await putNew(404, status), "none, false");
  assert.match(await putNew(403), /HEAD x: 403 Forbidden$/);
  assert.is(await putNew(404, 403), "s3://backups/a: PUT x: 403 Told");
});

test("repeat when the connection breaks, unless they create an object", async (context) => {
  const { open, requests, statuses } = context;
  const store = await open({ AWS_SESSION_TOKEN: "token" });
  const sent = async (call: () => Promise<unknown>, ...statusCodes: readonly number[]) => {
    statuses.splice(0, statuses.length, ...statusCodes);
    const before = requests.length;
    return [
      await failure(call()),
      requests
        .slice(before)
        .map(({ method }) => method)
        .join(" "),
    ];
  };
  const content = Buffer.from("1");
  assert.equal(await sent(() => store.put("x", content), 0, 0), ["none, undefined", "PUT PUT PUT"]);
  const read = await sent(() => store.get("x", 100), 0, 1);
  assert.equal(read, ["none, <Code>Told</Code>", "GET GET GET"]);
  const [text, methods] = await sent(() => store.putNew("x", content), 404, 0);
  assert.match(text!, /^s3:\/\/backups\/a: PUT x: /);
  assert.is(methods, "HEAD PUT");
  const [broken, all] = await sent(() => store.has("x"), 0, 0, 0, 0, 0, 0, 0);
  assert.match(broken!, /^s3:\/\/backups\/a: HEAD x: /);
  assert.is(all, "HEAD HEAD HEAD HEAD HEAD HEAD");
  // The key of the session must not reach another host.
  const moved = await sent(() => store.put("x", content), 301);
  assert.equal(moved, ["s3://backups/a: PUT x: 301 Told to http://127.0.0.1:1/x", "PUT"]);
  const page = await sent(() => store.list("x").next());
  assert.equal(page, [
    "s3://backups/a: LIST x: the endpoint is no store with the S3 interface",
    "GET",
  ]);
});

test("repeat after each code of a broken connection, but no other failure", async (context) => {
  const store = await context.open();
  const { fetch } = globalThis;
  try {
    for (const [code, attempts] of [
      ["UND_ERR_SOCKET", 2],
      ["ECONNRESET", 2],
      ["EPIPE", 2],
      ["ECONNREFUSED", 1],
    ] as const) {
      let calls = 0;
      globalThis.fetch = (...request) => {
        if (calls++ > 0) return fetch(...request);
        const cause = Object.assign(new Error("broken"), { code });
        return Promise.reject(new TypeError("fetch failed", { cause }));
      };
      const outcome = await failure(store.put("x", Buffer.from("1")));
      assert.is(calls, attempts, code);
      assert.is(outcome === "none, undefined", attempts === 2, outcome);
    }
  } finally {
    globalThis.fetch = fetch;
  }
});

test("report the status of a long error page", async ({ open, statuses, bodies }) => {
  const store = await open();
  for (const page of ["x".repeat(2 ** 20), `<Code>Told</Code>${"x".repeat(2 ** 20)}`]) {
    statuses.push(403);
    bodies.push(page);
    const reason = await failure(store.put("x", Buffer.from("1")));
    assert.match(reason, /^s3:\/\/backups\/a: PUT x: 403 (Forbidden|Told)$/);
  }
  bodies.push("x".repeat(101));
  assert.match(await failure(store.get("x", 100)), /GET x: it has more than 100 bytes$/);
});

test("report the rejected request and the reason", async ({ open, statuses }) => {
  const store = await open();
  const rejectionMessage = (call: () => Promise<unknown>): Promise<string> => {
    statuses.splice(0, statuses.length, 403);
    return failure(call());
  };
  const content = Buffer.from("1");
  assert.is(
    await rejectionMessage(() => store.put("x", content)),
    "s3://backups/a: PUT x: 403 Told",
  );
  assert.is(await rejectionMessage(() => store.get("x", 10)), "s3://backups/a: GET x: 403 Told");
  assert.is(await rejectionMessage(() => store.remove("x")), "s3://backups/a: DELETE x: 403 Told");
  assert.is(
    await rejectionMessage(() => store.list("x").next()),
    "s3://backups/a: LIST x: 403 Told",
  );
  statuses.splice(0, statuses.length, 404);
  assert.is(await failure(store.remove("x")), "none, undefined");
});

test.run();
