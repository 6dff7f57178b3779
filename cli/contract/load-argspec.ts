// Loads the argspec for a command, from a server, a file or a build. External input is limited in
// size and time, and always validated by `readArgspec`.

import { readFileSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import type { Argspec } from "../../argspec/argspec.js";
import { readArgspec } from "../../argspec/read-argspec.js";
import { SvcError } from "../../runtime/base/errors.js";
import { fetchResponse, isUrl } from "./fetch-response.js";

const ARGSPEC_FILE = "argspec.json";
const MAX_FILE_BYTES = 64 * 1024 * 1024;

/**
 * @param source URL of a server, argspec file, `.svc` folder, or folder of a built project
 * @throws SvcError SVC3014 if nothing is found, SVC3015 for an invalid argspec, SVC3016 and SVC3017
 *   if the server does not return its argspec
 */
export async function loadArgspec(source: string): Promise<Argspec> {
  const value = isUrl(source) ? await fromServer(source) : fromFile(fileOf(source));
  try {
    return readArgspec(value);
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    throw new SvcError(error.code, `${source}: ${error.message}`, { cause: error });
  }
}

async function fromServer(url: string): Promise<unknown> {
  const fetched = await fetchResponse(url, "/svc/builtin/argspec?format=schema");
  if (fetched.status === "OK" && !Array.isArray(fetched.response)) return fetched.response;
  // Older servers lack the parameter `plugin`, or respond with its record.
  throw new SvcError("SVC3017", `server at ${url} does not publish its argspec`);
}

/** Returns undefined if the path cannot be inspected: `file.json/` is not a path either. */
export function pathInfo(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** Returns the argspec that a path refers to. */
function fileOf(source: string): string {
  const info = pathInfo(source);
  if (info === undefined) throw new SvcError("SVC3014", `there is no \`${source}\``);
  if (!info.isDirectory()) return source;
  const locations = [join(source, ARGSPEC_FILE), join(source, ".svc", ARGSPEC_FILE)];
  const file = locations.find((location) => pathInfo(location)?.isFile());
  if (file !== undefined) return file;
  throw new SvcError("SVC3014", `\`${source}\` has no argspec yet: run \`svc build\``);
}

function fromFile(path: string): unknown {
  const { size } = statSync(path);
  if (size > MAX_FILE_BYTES) {
    throw new SvcError("SVC3015", `${path}: ${size} bytes exceed the maximum size of an argspec`);
  }
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new SvcError("SVC3015", `${path}: ${(error as Error).message}`, { cause: error });
  }
}
