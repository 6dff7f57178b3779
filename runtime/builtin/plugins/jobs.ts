// The jobs of the build and their last runs.

import type { PluginRequest } from "../../plugin/request/plugin-request.js";
import { serverView } from "../context.js";
import type { JobStatus } from "../job-status.js";

/**
 * Scheduled functions and their last runs.
 * @plugin jobs
 * @readonly
 */
export function jobs(_request: PluginRequest): readonly JobStatus[] {
  return serverView().jobs();
}
