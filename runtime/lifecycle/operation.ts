// Context of admin operations.

import type { ControlArguments } from "../builtin/admin/control-service.js";
import type { GraphSupervisor } from "./graph-supervisor.js";
import type { HttpService } from "./http-service.js";

/** Operations of the program that has started the server. */
export interface ServerOwner {
  /** Puts the newest build into service; returns what it loaded. */
  reload(): Promise<readonly string[]>;
  /** Restarts the server with a matrix of back-ends. */
  restart(dispatcher: object | null): Promise<void>;
  /** Ends the process like a signal. */
  shutdown(): void;
}

export interface Parts {
  readonly service: HttpService;
  readonly graphs: GraphSupervisor;
  readonly owner: ServerOwner;
}

export type Operation = (parts: Parts, args: ControlArguments) => unknown;
