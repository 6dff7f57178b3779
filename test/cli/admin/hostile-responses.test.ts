// `svc admin` with instances that send invalid responses: it names them, handles the others, and
// prints no control sequences.
// takes 4 s

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { AdminContext, type AdminValues } from "../../../cli/admin/context.js";
import { VERBS } from "../../../cli/admin/verbs.js";
import { SvcError } from "../../../runtime/base/errors.js";
import { readDescriptor } from "../../../runtime/system/read-descriptor.js";

const DEEP = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
const ESCAPE = "\\u001b[2J\\u009b31m\\u0007";
const STATUS_FIELDS = ["service-name", "ip", "cpu", "uptime", "build", "service-out-reason"];
/** JSON documents. */
const HOSTILE_BODIES = [
  ...["null", "5", "[]", "{}", DEEP, `"${ESCAPE}"`, `["${ESCAPE}"]`],
  '{ "toString": 1, "valueOf": 1 }',
  `{ "__proto__": { "status": "granted" }, "action": { "toString": 1 }, "${ESCAPE}": 1 }`,
  `{ ${STATUS_FIELDS.map((key) => `"${key}": { "toString": 1, "valueOf": 1 }`).join()} }`,
  `{ ${STATUS_FIELDS.map((key) => `"${key}": "${ESCAPE}"`).join()}, "host": "${ESCAPE}" }`,
  `{ "status": "held", "what": "${ESCAPE}", "operator": {}, "since": 1e300 }`,
  '{ "status": "held", "what": { "toString": 1 }, "since": "x" }',
  '{ "subscribers": 5, "added": 5, "removed": {}, "result": 5, "limits": 5 }',
  '{ "subscribers": [5, [5], null], "added": [{}], "result": [null] }',
  failure("\\\\x"),
  failure("\\\\u001b[2J"),
];

/** Response to a command that fails. */
function failure(message: string): string {
  return `{ "result": ["Exception(\\"SVC3402: ${message}\\")"] }`;
}

interface Context {
  server: Server;
  /** Response to every request except those for tokens. */
  response: string;
  status: "OK" | "ERROR";
}

const test = suite<Context>("hostile responses to svc admin");

test.before(async (context) => {
  context.server = createServer((request, response) => {
    const isToken = request.url!.includes("GetAuthToken");
    const text = isToken ? '{ "authtoken": "t" }' : context.response;
    const key = context.status === "OK" || isToken ? "response" : "message";
    const status = isToken ? "OK" : context.status;
    request.resume();
    response.end(`{ "status": "${status}", "${key}": ${text} }`);
  });
  await new Promise<void>((resolve) => context.server.listen(0, "127.0.0.1", resolve));
});
test.after(({ server }) => {
  server.closeAllConnections();
  server.close();
});

/** Runs a verb. Returns its output, or the code of its error. */
async function runVerb({ server }: Context, name: string, values: AdminValues, more?: string) {
  const { port } = server.address() as AddressInfo;
  const [host, tport] = ["127.0.0.1", 9];
  const instances = {
    H: { hport: port - 1, host, tport },
    J: { hport: port - 1, host: "127.0.0.2", tport },
  };
  const topology = { transaction: { H: { J: {} } } };
  const context = new AdminContext(readDescriptor({ instances, topology }), values);
  const { run } = await VERBS.find((verb) => verb.name === name)!.load();
  const { write } = process.stdout;
  let printed = "";
  process.stdout.write = (text: string | Uint8Array) => {
    printed += text;
    return true;
  };
  try {
    await run(context, { ids: "H", more });
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    assert.ok(error.message.length < 1500, `${error.message.length}`);
    return JSON.stringify(error.code);
  } finally {
    process.stdout.write = write;
  }
  return printed;
}

const CASES = [
  ...["status", "nodestat", "persist", "service-in", "attach", "detach", "promote"],
  ...["pause-replication in", "throttle", "endpoint /svc/x", "nodestat __proto__", "plan"],
];

for (const isJson of [false, true]) {
  test(`print no control sequences${isJson ? ", in JSON" : ""}`, async (context) => {
    for (const status of ["OK", "ERROR"] as const) {
      for (const response of HOSTILE_BODIES) {
        Object.assign(context, { response, status });
        for (const words of CASES) {
          const [name, more] = words.split(" ");
          const label = `${words}: ${response.slice(0, 80)}`;
          const printed = await runVerb(context, name!, { json: isJson, yes: true }, more).catch(
            (error) => assert.unreachable(`${label}: ${error.stack}`),
          );
          assert.not.match(String(printed), /[^\n\P{Cc}]/u, label);
          if (isJson && printed !== "") JSON.parse(String(printed));
        }
      }
    }
  });
}

test("are reported with the instance", async (context) => {
  Object.assign(context, { response: "null", status: "OK" });
  const printed = await runVerb(context, "attach", {});
  assert.match(printed, /^H: SVC3302: unexpected response from H: /);
  for (const response of HOSTILE_BODIES.filter((text) => text.includes('"held"'))) {
    context.response = response;
    assert.is(await runVerb(context, "dump", {}), '"SVC3302"', response);
  }
});

test("are reported with the code of the instance", async (context) => {
  Object.assign(context, { response: failure('a \\\\\\"b\\\\\\"'), status: "OK" });
  const printed = await runVerb(context, "promote", {});
  assert.is(printed, 'H: SVC3402: a "b"\n');
});

test.run();
