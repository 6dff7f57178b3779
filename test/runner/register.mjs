// Preloaded into the test process: test files that import `uvu` get our wrapper of it instead, and
// the compiler parses what never changes once.

import { register } from "node:module";
import "./share-parsed.mjs";

register("./resolve-uvu.mjs", import.meta.url);
