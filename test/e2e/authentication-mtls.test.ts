// Authentication by client certificates: of clients, of a dispatcher and of a proxy.
// limit: 60 s

import { request } from "node:https";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { certificateFile, KNOWN_CLIENT } from "../support/certificates.js";
import { buildProject, type RunningServer, serve } from "./support/server.js";
import { TemporaryProject } from "./support/temporary-project.js";

const PLUGINS = `import type { PluginRequest, str } from "svc-server";

/** @plugin */
export function whoami(request: PluginRequest): str {
  return JSON.stringify(request.principal);
}
`;
const AUTH = `import { mtls } from "svc-server";

export const certificates = mtls();
export const services = mtls({
  principal: ({ altNames, fingerprint }) =>
    altNames === "DNS:client.test" && fingerprint.length === 95 ? { scopes: ["a"] } : null,
});
export const nobody = mtls({ principal: () => null });
`;

const test = suite<{ project: TemporaryProject; server: RunningServer | null }>(
  "authentication by mtls",
);

test.before((context) => {
  context.project = new TemporaryProject({ "plugins/p.ts": PLUGINS, "src/auth.ts": AUTH });
});
test.after.each(async (context) => {
  await context.server?.end();
  context.server = null;
});
test.after(({ project }) => project.remove());

const TLS = ["server.pem", "server-key.pem", "ca.pem"].map(certificateFile).join(",");

async function start(project: TemporaryProject, handler: string, ...options: readonly string[]) {
  project.write("svc.config.ts", `export default { auth: "src/auth.ts#${handler}" };\n`);
  await buildProject(project.folder);
  return serve(project.folder, "--tls", TLS, ...options);
}

function call(port: number, headers = {}): Promise<{ status: number; text: string }> {
  const path = "/svc/plugin/whoami";
  const options = { host: "127.0.0.1", port, path, agent: false, headers, ...KNOWN_CLIENT };
  return new Promise((resolve, reject) => {
    const sentRequest = request(options, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (piece: string) => {
        text += piece;
      });
      response.on("end", () => resolve({ status: response.statusCode!, text }));
    });
    sentRequest.on("error", reject).end();
  });
}

test("passes the subject of the certificate to plugins", async (context) => {
  context.server = await start(context.project, "certificates");
  const { text } = await call(context.server.port);
  const { response } = JSON.parse(text);
  assert.equal(JSON.parse(response), { subject: "CN=svc test client" });
});

test("asks a function of the project for the principal", async (context) => {
  context.server = await start(context.project, "services");
  const { text } = await call(context.server.port);
  assert.equal(JSON.parse(JSON.parse(text).response), { scopes: ["a"] });
});

test("responds with 401 without a principal", async (context) => {
  context.server = await start(context.project, "nobody");
  assert.is((await call(context.server.port)).status, 401);
});

test("does not attribute a proxy's certificate to its clients", async (context) => {
  context.server = await start(context.project, "certificates", "--proxies", "127.0.0.1");
  const { port } = context.server;
  assert.is((await call(port, { "x-forwarded-for": "192.0.2.1" })).status, 401);
  assert.is((await call(port)).status, 200);
});

test.run();
