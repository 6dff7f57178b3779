// Accessibility of the page in a tab, as axe sees it.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { BrowserTab } from "./browser-tab.js";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
// Others only cost time.
const KINDS = { resultTypes: ["violations"] };
const RULES = {
  ...KINDS,
  runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"],
  // Off by default, because axe calls it experimental.
  rules: { "label-content-name-mismatch": { enabled: true } },
};

/** The rules whose result depends on the theme, at half of the price. */
const COLORS = { ...KINDS, runOnly: ["color-contrast", "link-in-text-block"] };

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/**
 * Returns the violations that axe reports, each with the first element.
 * @param rules `colors` for a page that was checked by all rules in another theme
 */
export async function findViolations(
  tab: BrowserTab,
  rules: "all" | "colors" = "all",
): Promise<string[]> {
  // Once for each page: it is large.
  if ((await tab.value("typeof axe")) !== "object") await tab.value(`(() => { ${AXE} })(); void 0`);
  const options = JSON.stringify(rules === "all" ? RULES : COLORS);
  const { violations } = (await tab.value(`axe.run(document, ${options})`)) as {
    violations: Violation[];
  };
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]!.html}`);
}
