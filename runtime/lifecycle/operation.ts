// Context of admin operations.

import type { ControlArguments } from "../builtin/admin/control-service.js";
import type { GraphSupervisor } from "./graph-supervisor.js";
import type { HttpService } from "./http-service.js";

/** Operations that the program that started the server executes. */
export interface ServerOwner {
  /** Puts the newest build into service and returns its plugins. */
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
