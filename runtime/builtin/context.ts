// How built-in plugins get at the server and the graphs of their thread: they are called like any
// plugin, with nothing but a request.

import { threadContext } from "../base/thread-context.js";
import type { Graph } from "../graph/api/graph.js";
import { threadGraphs } from "../graph/manager/this-thread.js";
import { KeyError } from "../graph/model/errors.js";
import { requireBoundGraph } from "../plugin/run/graph-binding.js";
import type { ControlService } from "./admin/control-service.js";
import type { ArgspecForms } from "./argspec-forms.js";
import type { ServerView } from "./server-view.js";

export function serverView(): ServerView {
  const { server } = threadContext();
  if (server === null) throw new Error("built-in plugins run inside a started server only");
  return server;
}

export function controlService(): ControlService {
  const { control } = threadContext();
  if (control === null) throw new Error("operations are asked for in the IO thread only");
  return control;
}

export function argspecForms(): ArgspecForms {
  const { argspecForms: forms } = threadContext();
  if (forms === null) throw new Error("forms of the argspec are made by the admin executor only");
  return forms;
}

/**
 * A graph that exists, for the request that is running.
 * @throws KeyError
 */
export function graphNamed(name: string): Graph {
  if (threadGraphs().find(name) !== null) return requireBoundGraph(name) as Graph;
  throw new KeyError(`Graph instance not available: ${name}`);
}
