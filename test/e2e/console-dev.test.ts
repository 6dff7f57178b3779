// `svc dev` in the console: diagnostics of the last build with source lines until they are fixed,
// and failed calls with their stack frames.
// limit: 180 s
// takes 10 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { findBrowser } from "./support/browser.js";
import { ConsolePage } from "./support/console-page.js";
import { withDev } from "./support/dev.js";
import { buildProject, fixture, get, serve } from "./support/server.js";
import { BAD_PLUGIN, GOOD_PLUGIN } from "./support/temporary-project.js";

const browser = findBrowser();
const test = suite("console dev");
const inBrowser = browser === null ? test.skip : test;
if (browser === null) console.log("console dev: skipped (no browser; see CHROMIUM)");

const FAILS = `import type { PluginRequest } from "svc-server";

/** Fails always. @plugin fails */
export function fails(_request: PluginRequest): number {
  throw new Error("<b>this is why</b>");
}
`;

const TAKES = `import type { PluginRequest } from "svc-server";

/** Says what it was sent. @plugin says */
export function says(_request: PluginRequest, times: number, content: string): string {
  return content.repeat(times);
}
`;

interface Told {
  readonly build: { readonly broken: string | null; readonly findings: string } | null;
  readonly failures: readonly { readonly text: string }[];
  readonly calls: readonly unknown[];
}

async function describe(port: number): Promise<Told> {
  return (await get(port + 1, "/svc/build")).json.response as Told;
}

test("is restricted to trusted clients on the admin port", async () => {
  await buildProject(fixture("engine"));
  const server = await serve(fixture("engine"));
  try {
    const { build, calls } = await describe(server.port);
    assert.equal([build, calls], [null, []]);
    assert.is((await get(server.port, "/svc/build")).status, 404);
    const foreign = { headers: { origin: "http://elsewhere.example" } };
    assert.is((await get(server.port + 1, "/svc/build", foreign)).status, 403);
  } finally {
    await server.end();
  }
});

/** A link restores the typed arguments and body without sending them to a server. */
async function keepsBody(page: ConsolePage, port: number): Promise<void> {
  const body = "a <b>&#=%\u202e body";
  await page.open(port + 1, "plugin?name=says&v.times=2");
  await page.type("#field-content", body);
  const address = new URL(String(await page.tab.value("location.href")));
  assert.not.match(address.search, "body");
  await page.open(port + 1, "system");
  await page.open(port + 1, address.href.slice(address.origin.length + 1));
  await page.tab.until(`document.querySelector("#field-content")?.value
    === ${JSON.stringify(body)}`);
  await page.press("Run, may change data");
  await page.has("200 OK");
  const text = `document.querySelector("[aria-label='Response body']").innerText`;
  // Marks that turn text are shown, not applied.
  const shown = body.replace("\u202e", "\\u{202e}");
  assert.is(await page.tab.value(text), shown + shown);
  const requests = page.tab.requests.filter((url) => /name=says/.test(url));
  assert.ok(requests.length >= 2 && requests.every((url) => !/body/.test(new URL(url).search)));
}

inBrowser("shows diagnostics and failed calls until they are fixed", async () => {
  const files = {
    "plugins/good.ts": GOOD_PLUGIN,
    "plugins/fails.ts": FAILS,
    "plugins/says.ts": TAKES,
  };
  await withDev(files, async (dev, project) => {
    const [, text] = await dev.until(/svc: serving .* on http:\/\/127\.0\.0\.1:(\d+)/);
    const port = Number(text);
    const page = await ConsolePage.start(browser!);
    try {
      await page.open(port + 1, "logs");
      await get(port, "/svc/plugin/fails?word=%3Ci%3E");
      await page.has("Calls that have failed");
      await page.tab.value(`[...document.querySelectorAll("main details")]
        .find((one) => one.innerText.includes("Calls that have failed")).open = true`);
      await page.has("<b>this is why</b>");
      await page.has("plugins/fails.ts:5");
      // The request, and the source line with a mark below the position.
      await page.has("GET /svc/plugin/fails?word=%3Ci%3E");
      await page.has(`5 |   throw new Error("<b>this is why</b>");\n  |         ^`);
      await page.tab.until(`[...document.querySelectorAll("details a")]
        .some((link) => link.href.endsWith("/plugin?name=fails&v.word=%3Ci%3E"))`);
      await keepsBody(page, port);
      await page.open(port + 1, "logs");
      project.write("plugins/good.ts", "export function {");
      await page.has("Still serving the last good build");
      await page.has("Diagnostics of the last build");
      await page.has("plugins/good.ts");
      // It parses, so it is served while its types are checked.
      project.write("plugins/good.ts", BAD_PLUGIN);
      await page.hasNot("Still serving the last good build");
      await page.has("error TS2322");
      project.write("plugins/good.ts", GOOD_PLUGIN);
      await page.hasNot("Diagnostics of the last build");
      assert.is(await page.tab.value(`document.querySelectorAll("main b").length`), 0);
    } finally {
      await page.close();
    }
  });
});

test.run();
