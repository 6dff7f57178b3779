// A new thread inherits environment variables and the data that the main thread has installed. A
// thread that was started earlier receives them in a message.

import { getEnvironmentData, setEnvironmentData } from "node:worker_threads";
import { SLOTS_KEY } from "./instance-slots.js";
import { LOG_KEY } from "./log-settings.js";

/** Data that the main thread installs while it reads its settings. */
const KEYS = [LOG_KEY, SLOTS_KEY];

export interface InheritedData {
  readonly variables: NodeJS.ProcessEnv;
  readonly installed: readonly (readonly [key: string, value: unknown])[];
}

/** Returns what a thread would inherit now. */
export function inheritedData(): InheritedData {
  const installed = KEYS.map((key) => [key, getEnvironmentData(key)] as const);
  return { variables: { ...process.env }, installed };
}

/** Replaces the inherited data of this thread, before anything has used them. */
export function inherit({ variables, installed }: InheritedData): void {
  // The configuration may have removed secrets, for example.
  for (const name of Object.keys(process.env)) {
    if (!Object.hasOwn(variables, name)) delete process.env[name];
  }
  Object.assign(process.env, variables);
  for (const [key, value] of installed) {
    setEnvironmentData(key, value as Parameters<typeof setEnvironmentData>[1]);
  }
}
