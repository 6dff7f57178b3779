// Messages from the thread of a test to the thread of an instance; each gets one reply.

import type { MessagePort } from "node:worker_threads";
import type { Role } from "../serving/built-project.js";
import type { Fault } from "./fault.js";
import type { TestSettings } from "./test-settings.js";

export interface InstanceData {
  readonly projectDir: string;
  readonly root: string;
  readonly role: Role | undefined;
  readonly settings: TestSettings;
  /** Null for an instance without back-ends. */
  readonly dispatcher: object | null;
  /** Connect ports of the back-ends by their port numbers. */
  readonly backEnds: readonly (readonly [port: number, connectPort: MessagePort])[];
}

export type InstanceCommand =
  | { readonly op: "start" }
  /** Lets the holder of the other end connect. */
  | { readonly op: "open"; readonly offset: 0 | 1; readonly connectPort: MessagePort }
  /** Replaces the connect port of a restarted back-end. */
  | { readonly op: "reach"; readonly port: number; readonly connectPort: MessagePort }
  | { readonly op: "fault"; readonly fault: Fault | null }
  | { readonly op: "stop" };
