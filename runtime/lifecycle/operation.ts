// What an operation on the server works with.

import type { ControlArguments } from "../builtin/admin/control-service.js";
import type { GraphSupervisor } from "./graph-supervisor.js";
import type { HttpService } from "./http-service.js";

/** What only whoever has started the server can do. */
export interface ServerOwner {
  /** Takes the newest build into service; returns what it loaded. */
  reload(): Promise<readonly string[]>;
  /** Stops and starts again, with this matrix of back-ends. */
  restart(dispatcher: object | null): Promise<void>;
  /** Ends the process as a signal does. */
  shutdown(): void;
}

export interface Parts {
  readonly service: HttpService;
  readonly graphs: GraphSupervisor;
  readonly owner: ServerOwner;
}

export type Operation = (parts: Parts, args: ControlArguments) => unknown;
