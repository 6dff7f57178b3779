// Settings and requests of tests, as types without those of Node.js.

import type { ServerSettings } from "../../runtime/settings/server-settings.js";

/** Settings that override the project's. */
export type TestSettings = Partial<
  Pick<ServerSettings, "prefix" | "servicein" | "stackTraces" | "cors" | "executors">
>;

/** Like the global `fetch`. */
export type Fetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;
