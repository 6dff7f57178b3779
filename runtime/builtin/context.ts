// Gives built-in plugins access to the server, because plugins are called with nothing but a
// request.

import type { ControlService } from "./admin/control-service.js";
import type { ArgspecForms } from "./argspec-forms.js";
import type { ServerView } from "./server-view.js";

interface BuiltinContext {
  /** The server; in the IO thread only. */
  readonly server: ServerView | null;
  /** Executes admin operations; in the IO thread only. */
  readonly control: ControlService | null;
  /** In executors only; leaves the request to the long-query executor. */
  readonly argspecForms: (() => ArgspecForms) | null;
}

let context: BuiltinContext = { server: null, control: null, argspecForms: null };

/** Sets members of this thread's context; others remain unchanged. */
export function installBuiltinContext(parts: Partial<BuiltinContext>): void {
  context = { ...context, ...parts };
}

export function serverView(): ServerView {
  const { server } = context;
  if (server === null) throw new Error("built-in plugins are only available on a started server");
  return server;
}

export function controlService(): ControlService {
  const { control } = context;
  if (control === null) throw new Error("operations are only available on the IO thread");
  return control;
}

export function argspecForms(): ArgspecForms {
  const { argspecForms: forms } = context;
  if (forms === null) throw new Error("only the long-query executor makes forms of the argspec");
  return forms();
}
