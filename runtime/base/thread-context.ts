// What code of a thread finds without being handed it: plugins and built-in plugins are called with
// nothing but a request. Whoever puts a thread together says it here, once; `unload` of a program
// takes it back. Nobody else keeps such things at module level.

import type { ControlService } from "../builtin/admin/control-service.js";
import type { ArgspecForms } from "../builtin/argspec-forms.js";
import type { ServerView } from "../builtin/server-view.js";
import type { ThreadGraphs } from "../graph/manager/thread-graphs.js";
import type { GraphBinder } from "../plugin/contract/bound-graph.js";

export interface ThreadContext {
  /** The graphs that this thread has open; null in tools, and before a program initializes. */
  readonly graphs: ThreadGraphs | null;
  /** How the `graph` argument of a plugin is opened. */
  readonly bindGraph: GraphBinder | null;
  /** The server around built-in plugins: in the IO thread. */
  readonly server: ServerView | null;
  /** Who operates the server: in the IO thread. */
  readonly control: ControlService | null;
  /** In the admin executor. */
  readonly argspecForms: ArgspecForms | null;
  /** Errors tell of frames of plugin code (setting `http.traceback`). */
  readonly showsTraceback: boolean;
}

let context: ThreadContext = {
  graphs: null,
  bindGraph: null,
  server: null,
  control: null,
  argspecForms: null,
  showsTraceback: true,
};

/** Of this thread. */
export function threadContext(): ThreadContext {
  return context;
}

/** Gives this thread what is named; the rest stays as it is. */
export function installThreadContext(parts: Partial<ThreadContext>): void {
  context = { ...context, ...parts };
}
