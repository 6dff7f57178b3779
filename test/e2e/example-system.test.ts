// The system of examples/cities works as in its README, as eight processes. Then its console:
// instances, matrix and replication on open pages, while one hangs, is killed and restarts; this
// part is skipped without a browser.
// limit: 240 s
// takes 20 s

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { packageRoot } from "../../runtime/base/package-info.js";
import { findBrowser } from "./support/browser.js";
import { ConsolePage } from "./support/console-page.js";
import { Document } from "./support/document.js";
import { buildProject } from "./support/server.js";
import { UpSystem, until } from "./support/system.js";

const COMMAND_LIMIT_MS = 60_000;

const browser = findBrowser();
const test = suite("example system");
const inBrowser = browser === null ? test.skip : test;
if (browser === null) console.log("example system: no console (no browser; see CHROMIUM)");

const EXAMPLE = join(packageRoot(), "examples", "cities");
const ADMIN_PORT = 9991;
const SUBSCRIBERS = ["S1.1", "S1.2", "S2.1", "S2.2"];
const BIN = join(packageRoot(), "bin", "svc.cjs");
const document = new Document(join(EXAMPLE, "README.md"));
const hasCurl = spawnSync("curl", ["--version"]).status === 0;

/** The alias of the document, with the descriptor of this run. */
const alias = (file: string) => `svc() {
  if [ "$1" = admin ]; then node "${BIN}" "$@" --descriptor "${file}"; else node "${BIN}" "$@"; fi
}
`;

/** Parts that differ in each run. */
function masked(printed: string): string {
  return printed.replace(/"exec_ms": ?[\d.]+/g, '"exec_ms": 0').trimEnd();
}

let system: UpSystem;
let page: ConsolePage | null = null;

test.before(async () => {
  await buildProject(EXAMPLE);
  const descriptor = readFileSync(join(EXAMPLE, ".svc/system.json"), "utf8");
  system = new UpSystem(EXAMPLE, JSON.parse(descriptor));
  await system.up();
  if (browser !== null) page = await ConsolePage.start(browser);
});
test.after(async () => {
  await page?.close();
  await system.close();
});

test("README.md: its commands print the documented output", async () => {
  assert.ok(document.up === "examples/cities" && document.commands.length > 10);
  if (!hasCurl) return;
  const findings: string[] = [];
  for (const { line, command, output } of document.commands) {
    const script = alias(system.file) + command.replaceAll("127.0.0.1", system.host);
    const child = spawn("bash", ["-c", script], {
      cwd: EXAMPLE,
      stdio: ["ignore", "pipe", "pipe"],
      // Some wait for events: if one never comes, the system is stopped all the same.
      ...{ timeout: COMMAND_LIMIT_MS, killSignal: "SIGKILL" },
    });
    const [out, err] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "close"),
    ]);
    const printed = masked(out.replaceAll(system.host, "127.0.0.1"));
    if (printed !== masked(output)) findings.push(`${line}: prints ${printed} ${err}`);
  }
  assert.is(findings.join("\n"), "");
});

const ready = async (id: string) =>
  ((await system.get(id, "/svc/nodestat", 1)).json.response as { ready: boolean }).ready;

const row = (id: string): string => `[...document.querySelectorAll("main tbody tr")]
  .find((row) => row.innerText.trim().startsWith(${JSON.stringify(id)}))?.innerText ?? ""`;
const rowHas = (id: string, text: string, is = true) =>
  page!.tab.until(`(${row(id)}).includes(${JSON.stringify(text)}) === ${is}`);
/** The box of an instance on the map shows its state. */
const boxHas = (id: string, state: string) =>
  page!.tab.until(`[...document.querySelectorAll("svg.map a")]
    .some((box) => box.ariaLabel.startsWith(${JSON.stringify(`${id}, `)}) &&
      box.ariaLabel.includes(${JSON.stringify(`, ${state}, `)}))`);

inBrowser("starts replication and service by the buttons of one page", async () => {
  // As before the commands of the README.
  for (const verb of ["service-out", "unsubscribe"]) {
    const { code, out, err } = await system.admin(verb, "S*");
    assert.is(code, 0, out + err);
  }
  const chosen = SUBSCRIBERS.map((id) => `on=${id}`).join("&");
  await page!.open(ADMIN_PORT, `admin?${chosen}`, system.host);
  await page!.press("Unlock");
  await page!.has("Unlocked for");
  await page!.press("Subscribe", "main .cards");
  await page!.press("Subscribe", "dialog");
  await page!.has("done: Subscribe at S2.2");
  // Replicas that still catch up refuse Service-IN.
  for (const id of SUBSCRIBERS) await until(async () => (await ready(id)) === true);
  await page!.press("Service in", "main .cards");
  await page!.press("Service in", "dialog");
  await page!.has("done: ServiceIn at S2.2");
  assert.is((await system.get("TD", "/svc/plugin/feed")).status, 200);
  await page!.open(ADMIN_PORT, "replication", system.host);
  await page!.has("All 8 instances");
  for (const id of ["S1.1", "S2.2"]) await rowHas(id, "equal");
});

inBrowser("runs and explains a plugin of the back-ends through the matrix", async () => {
  await page!.open(ADMIN_PORT, "plugin?name=largest", system.host);
  await page!.has("through the matrix");
  await page!.press("Run");
  await page!.has("Shanghai");
  await page!.press("Time");
  await page!.has("on the server, by step");
});

inBrowser("shows an instance that hangs, is killed and restarts on the open page", async () => {
  await page!.open(ADMIN_PORT, "system", system.host);
  await page!.has("8 instances on 1 host");
  await boxHas("S1.1", "OK");
  const { json } = await system.get("S1.1", "/svc/nodestat", 1);
  const { pid } = json.response as { pid: number };
  // `svc up` does not restart an instance that hangs.
  process.kill(pid, "SIGSTOP");
  try {
    await rowHas("S1.1", "Down");
    await page!.has("S1.1: Down.");
    await page!.has("No response for 00:00:");
    await rowHas("TD", "Degraded");
    await boxHas("S1.1", "Down");
    await boxHas("S2.1", "OK");
  } finally {
    // A stopped process would never end.
    process.kill(pid, "SIGKILL");
  }
  await rowHas("S1.1", "Down", false);
  await page!.tab.until(`(${row("S1.1")}) !== ""`);
});

inBrowser("has no script errors", () => {
  const complaints = page!.tab.complaints.filter((text) => !/status of (4|5)\d\d/.test(text));
  assert.equal(complaints, []);
});

test.run();
