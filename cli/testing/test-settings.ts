// What tests may set, and how they ask: types that need none of Node's.

import type { ServerSettings } from "../../runtime/settings/server-settings.js";

/** Settings that tests may put in place of those of the project. */
export type TestSettings = Partial<
  Pick<ServerSettings, "prefix" | "servicein" | "traceback" | "cors" | "executors">
>;

/** As the global `fetch`. */
export type Fetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;
