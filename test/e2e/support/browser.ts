// A headless browser of this machine: Chromium, or the path in the variable CHROMIUM.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
export const FLAGS: readonly string[] = [
  ...["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"],
  // Background requests would try to resolve hosts that do not exist.
  ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
  ...["--disable-quic", "--disable-extensions", "--mute-audio"],
];

/** Returns the path of a browser; null if none is installed. */
export function findBrowser(): string | null {
  const { CHROMIUM } = process.env;
  const paths = NAMES.map((name) => `/usr/bin/${name}`);
  return CHROMIUM || (paths.find((path) => existsSync(path)) ?? null);
}

/** Opens a page, and resolves with a function that closes the browser. */
export async function openPage(browser: string, url: string): Promise<() => Promise<void>> {
  const profile = mkdtempSync(join(tmpdir(), "svc-browser-"));
  const options = { stdio: "ignore", detached: true } as const;
  const child = spawn(browser, [...FLAGS, `--user-data-dir=${profile}`, url], options);
  const exited = once(child, "exit");
  await once(child, "spawn");
  return async () => {
    // Including its child processes.
    process.kill(-child.pid!, "SIGKILL");
    await exited;
    rmSync(profile, { recursive: true, force: true, maxRetries: 10 });
  };
}
