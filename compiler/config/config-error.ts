// A configuration with invalid values: an error for callers that load one, diagnostics with
// positions for a build.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SvcError } from "../../runtime/base/errors.js";
import { type Problem, problemText } from "../../runtime/settings/rules.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { sortDiagnostics } from "../diagnostics/sort.js";
import type { ConfigLocations } from "../read/config-locations.js";

export class ConfigError extends SvcError {
  readonly #projectDir: string;
  readonly #file: string;
  readonly #problems: readonly Problem[];

  /** @param file the configuration, relative to the project folder */
  constructor(projectDir: string, file: string, problems: readonly Problem[]) {
    super("SVC1102", [`${file} is not valid`, ...problems.map(problemText)].join("\n  "));
    this.#projectDir = projectDir;
    this.#file = file;
    this.#problems = problems;
  }

  /** Returns one diagnostic per error, sorted by position. */
  async diagnostics(): Promise<Diagnostic[]> {
    const locations = await locateConfig(this.#projectDir, this.#file);
    const findings = this.#problems.map((problem): Diagnostic => {
      const range = locations.find(problem.path, problem.isOfKey === true);
      const message = problemText(problem);
      return { code: this.code, severity: "error", ...range, message, help: "" };
    });
    return sortDiagnostics(findings);
  }
}

/**
 * Returns the locations in a configuration. Loads the parser, which other builds do not need.
 * @param file the configuration, relative to the project folder
 */
export async function locateConfig(projectDir: string, file: string): Promise<ConfigLocations> {
  const { ConfigLocations } = await import("../read/config-locations.js");
  return new ConfigLocations(file, readText(join(projectDir, file)));
}

/** The file existed when it was evaluated; if it is gone, diagnostics have no position. */
function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
