// The console calls plugins as a principal: with a token that only the tab knows.
// limit: 60 s

import { createHash } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { findBrowser } from "./support/browser.js";
import { ConsolePage } from "./support/console-page.js";
import { RunningProject } from "./support/running-project.js";

const browser = findBrowser();
const suiteOfConsole = suite("console token");
const test = browser === null ? suiteOfConsole.skip : suiteOfConsole;
if (browser === null) console.log("console token: skipped (no browser; see CHROMIUM)");

const project = new RunningProject(suiteOfConsole, {
  "src/auth.ts": `import { apiKeys } from "svc-server";

declare global {
  interface SvcPrincipal {
    readonly name?: string;
  }
}

export const keys = apiKeys({ file: "keys.json" });
`,
  "keys.json": JSON.stringify([
    { sha256: createHash("sha256").update("k-ann").digest("hex"), name: "ann" },
  ]),
  "plugins/p.ts": `import type { PluginRequest, str } from "svc-server";

/** @plugin */
export function whoami(request: PluginRequest): str {
  return \`I am \${request.principal?.name}\`;
}
`,
  "svc.config.ts": 'export default { auth: "src/auth.ts#keys" };\n',
});

test("calls plugins with the token of the tab, and stores it nowhere", async () => {
  const page = await ConsolePage.start(browser!);
  try {
    await page.open(project.server.port + 1, "plugin?name=whoami");
    await page.press("Run, may change data");
    await page.has("I am undefined");
    await page.type("#credential-kind", "Bearer");
    await page.type("#credential-secret", "k-ann");
    await page.press("Run, may change data");
    await page.has("I am ann");
    const places = "location.href, { ...localStorage }, { ...sessionStorage }, document.cookie";
    const stored = await page.tab.value(`JSON.stringify([${places}])`);
    assert.not.match(String(stored), "k-ann");
    await page.type("#credential-secret", "wrong");
    await page.press("Run, may change data");
    await page.has("a valid credential is required");
  } finally {
    await page.close();
  }
});

suiteOfConsole.run();
