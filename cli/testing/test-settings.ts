// Settings and requests of tests: types without those of Node.js.

import type { ServerSettings } from "../../runtime/settings/server-settings.js";

/** Settings that override those of the project. */
export type TestSettings = Partial<
  Pick<ServerSettings, "prefix" | "servicein" | "stackTraces" | "cors" | "executors">
>;

/** As the global `fetch`. */
export type Fetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;
