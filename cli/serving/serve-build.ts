// Serves a build on disk without loading the compiler.

import { ignoreBrokenPipe } from "../../runtime/base/log.js";
import { announce } from "./announce.js";
import { loader, readBuild } from "./built-project.js";
import { currentConfig } from "./current-config.js";
import { openConsole } from "./open-console.js";
import type { ServeValues } from "./options.js";
import { resolveRole, resolveSettings } from "./resolve-settings.js";
import { startServer } from "./start-server.js";
import { writeStartWarnings } from "./start-warnings.js";

/**
 * Returns once the server listens; the server runs until the process is stopped.
 * @param folder of the project
 * @param isOpened whether to show the console in a browser
 * @throws SvcError if the server cannot start
 */
export async function serveBuild(
  folder: string,
  values: ServeValues,
  isOpened = false,
): Promise<number> {
  ignoreBrokenPipe();
  process.env.NODE_ENV ??= "production";
  const manifest = readBuild(folder);
  writeStartWarnings(folder);
  const config = await currentConfig(folder, manifest);
  const settings = await resolveSettings(folder, config, values);
  const role = await resolveRole(folder, config, values);
  const { service, table } = await startServer(settings, loader(folder, role));
  process.stdout.write(announce(service, table));
  if (isOpened) openConsole(service);
  return 0;
}
