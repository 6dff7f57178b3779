// Languages of generated clients, with their generators.

import type { ClientEmitter } from "./client-emitter.js";

export const CLIENT_LANGUAGES = ["typescript", "python"] as const;
export type ClientLanguage = (typeof CLIENT_LANGUAGES)[number];

/** Loaded on demand: a generator takes up to 100 ms to load. */
const EMITTERS: Readonly<Record<ClientLanguage, () => Promise<ClientEmitter>>> = {
  typescript: async () => (await import("./typescript/client.js")).TYPESCRIPT_EMITTER,
  python: async () => (await import("./python/client.js")).PYTHON_EMITTER,
};

/** Returns the generator of a language. */
export function loadEmitter(language: ClientLanguage): Promise<ClientEmitter> {
  return EMITTERS[language]();
}
