// The package under test: the checkout that contains the benchmarks, or the one in `SVC_PACKAGE`.

import { fileURLToPath } from "node:url";

export const PACKAGE = process.env.SVC_PACKAGE ?? fileURLToPath(new URL("../..", import.meta.url));
