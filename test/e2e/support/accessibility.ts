// Accessibility of the page in a tab, as axe sees it.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { BrowserTab } from "./browser-tab.js";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RULES = {
  // Others only cost time.
  resultTypes: ["violations"],
  runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"],
  // Off by default, because axe calls it experimental.
  rules: { "label-content-name-mismatch": { enabled: true } },
};

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** Returns the violations that axe reports, each with the first element. */
export async function findViolations(tab: BrowserTab): Promise<string[]> {
  // Once for each page: it is large.
  if ((await tab.value("typeof axe")) !== "object") await tab.value(`(() => { ${AXE} })(); void 0`);
  const { violations } = (await tab.value(`axe.run(document, ${JSON.stringify(RULES)})`)) as {
    violations: Violation[];
  };
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]!.html}`);
}
