// A system whose instances require client certificates over TLS: operators, dispatcher and
// instances connect by `tls` of the descriptor.
// limit: 120 s
// takes 15 s

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { packageRoot } from "../../runtime/base/package-info.js";
import { certificateFile } from "../support/certificates.js";
import { buildProject } from "./support/server.js";
import { UpSystem } from "./support/system.js";

const test = suite("tls system");
const PROJECT = join(packageRoot(), "examples", "matrix");
const file = certificateFile;
const CLIENT_CERTIFICATE = { cert: file("client.pem"), key: file("client-key.pem") };
const DESCRIPTOR = {
  common: { type: "search", "s-in": true },
  instances: {
    TD: { type: "dispatch", hport: 9990 },
    S1: { hport: 9110 },
    S2: { hport: 9120 },
  },
  topology: { dispatch: { TD: [{ partitions: ["S1"] }, { partitions: ["S2"] }] } },
};

const folder = mkdtempSync(join(tmpdir(), "svc-tls-system-"));
let system: UpSystem;

function write(tls: object | undefined): void {
  system.write({ ...DESCRIPTOR, ...(tls && { tls }) });
}

test.before(async () => {
  await buildProject(PROJECT);
  const tls = [file("server.pem"), file("server-key.pem"), file("ca.pem")];
  process.env.SVC_TLS = tls.join();
  system = new UpSystem(PROJECT, DESCRIPTOR);
  write({ ca: file("ca.pem"), ...CLIENT_CERTIFICATE, name: "localhost" });
  await system.up();
});
test.after(async () => {
  delete process.env.SVC_TLS;
  await system.close();
  rmSync(folder, { recursive: true });
});

test("svc up, status, a rolling update and the survey use TLS", async () => {
  assert.match(system.out, new RegExp(`S1 \\| up at https://${system.host}:9110, pid`));
  const { code, out, err } = await system.admin("rolling-update", "--pause", "0");
  assert.is(code, 0, out + err);
  assert.match(out, /^(S\d: serves build [0-9a-f]{16}\n){2}$/);
  const path = "/svc/builtin/system_overview";
  const output = await system.admin("endpoint", "TD", path, "--json");
  const [{ result }] = JSON.parse(output.out);
  const { instances } = result.response;
  assert.equal(
    instances.map(({ id, hc, error }: Record<string, unknown>) => [id, hc, error]),
    ["TD", "S1", "S2"].map((id) => [id, "SVC/3", undefined]),
  );
  const status = await system.admin("endpoint", "S1", "/svc/builtin/status", "--json");
  assert.match(status.out, /"https:\/\/[^"]+:9110"/);
});

test("a client without a certificate or with another CA gets an error", async () => {
  const good = `${file("ca.pem")},${CLIENT_CERTIFICATE.cert},${CLIENT_CERTIFICATE.key}`;
  const status = (tls: string) => system.admin("status", "S1", "--tls", tls);
  assert.is((await system.admin("status", "S1")).code, 0);
  const withoutCertificate = await status(file("ca.pem"));
  assert.equal(
    [withoutCertificate.code, /Not running: S1 \(no response/.test(withoutCertificate.out)],
    [1, true],
  );
  const otherCertificate = join(folder, "other.pem");
  writeFileSync(otherCertificate, "no certificate");
  assert.match((await status(otherCertificate)).out, /SVC2941|holds no certificate/);
  // The name in the certificate is not the host; only the descriptor states it.
  assert.match((await status(good)).out, /does not match/);
  assert.match((await status(`${good},more`)).err, /SVC3003: --tls: expected <ca\[,cert,key\]>/);
});

test("no instance is reachable without `tls` in the descriptor", async () => {
  write(undefined);
  const { code, out } = await system.admin("status", "S1");
  assert.equal([code, /Not running: S1/.test(out)], [1, true]);
});

test.run();
