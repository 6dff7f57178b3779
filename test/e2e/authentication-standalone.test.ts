// Authentication of a standalone folder: handlers, files of keys and the optional package.
// limit: 90 s
// takes 15 s

import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { packageRoot } from "../../runtime/base/package-info.js";
import { TokenIssuer } from "../support/token-issuer.js";
import { get, started, svc } from "./support/server.js";
import { TemporaryProject } from "./support/temporary-project.js";

const test = suite("authentication of standalone folders");

test("accepts keys and tokens", async () => {
  const issuer = await TokenIssuer.start();
  const project = new TemporaryProject({
    "plugins/p.ts": `import type { PluginRequest } from "svc-server";

/** @plugin */
export function scopes(request: PluginRequest): unknown {
  return request.principal?.scopes;
}
`,
    "src/auth.ts": `import { apiKeys, jwt } from "svc-server";

export const keys = apiKeys({ file: "keys.json" });
export const tokens = jwt(${JSON.stringify(issuer.options)});
`,
    "svc.config.ts": 'export default { auth: ["src/auth.ts#keys", "src/auth.ts#tokens"] };\n',
    "keys.json": JSON.stringify([
      { sha256: createHash("sha256").update("k").digest("hex"), scopes: ["a"] },
    ]),
  });
  const folder = join(mkdtempSync(join(tmpdir(), "svc-standalone-auth-")), "out");
  await svc("build", project.folder, "--standalone", folder);
  const { dependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  assert.equal(Object.keys(dependencies), ["jose"]);
  // Simulates npm.
  const jose = "node_modules/jose";
  cpSync(join(packageRoot(), jose), join(folder, jose), { recursive: true });
  cpSync(join(project.folder, "keys.json"), join(folder, "keys.json"));
  const server = await started([join(folder, "serve.mjs"), "--port", "0"]);
  try {
    const request = (token: string) =>
      get(server.port, "/svc/plugin/scopes", { headers: { authorization: `Bearer ${token}` } });
    assert.equal((await request("k")).json.response, ["a"]);
    assert.equal((await request(await issuer.token({ scope: "b" }))).json.response, ["b"]);
    assert.is((await request("x")).status, 401);
  } finally {
    await server.end();
    await issuer.stop();
    project.remove();
    rmSync(join(folder, ".."), { recursive: true });
  }
});

test.run();
