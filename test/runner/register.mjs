// Preloaded into the test process: test files that import `uvu` get our wrapper of it instead.

import { register } from "node:module";

register("./resolve-uvu.mjs", import.meta.url);
