// Hooks of a plugin in the contract: names, files, and the header fields that each one reads.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { PluginReader } from "../../../compiler/read/plugin-reader.js";
import { ProjectFixture } from "../project-fixture.js";
import { pluginNamed } from "../reading.js";

const test = suite("guards");

const FILES = {
  "guards.ts": `import type { PluginRequest } from "svc-server";
export function tenant(request: PluginRequest): void {
  const name = "X-Dynamic";
  if (request.header("X-Tenant") === null || request.header(name) === null) return;
  request.header("X-Tenant");
}
export const nothing = () => undefined;
`,
  "p.ts": `import { plugin, type PluginRequest } from "svc-server";
import { nothing } from "./guards.js";
export function auth(request: PluginRequest): void {
  if (request.header("Authorization") !== "x") throw new Error();
}
/** @plugin @before auth, nothing */
export function guarded(request: PluginRequest) { return 1; }
export const after = plugin.post({ name: "after" }, (request: PluginRequest) => 1);
`,
};

test("name hooks of the configuration first, with the header fields they read", () => {
  const { dir } = new ProjectFixture(FILES);
  const reader = new PluginReader(dir, ["p.ts"], [], undefined, ["./guards.ts#tenant"]);
  const result = reader.read();
  assert.equal(pluginNamed(result, "guarded").guards, [
    { name: "tenant", file: "guards.ts", headers: ["X-Tenant"] },
    { name: "auth", file: "p.ts", headers: ["Authorization"] },
    { name: "nothing", file: "guards.ts", headers: [] },
  ]);
});

test("do not run before post-processors", () => {
  const { dir } = new ProjectFixture(FILES);
  const reader = new PluginReader(dir, ["p.ts"], [], undefined, ["./guards.ts#tenant"]);
  assert.equal(pluginNamed(reader.read(), "after").guards, []);
});

test.run();
