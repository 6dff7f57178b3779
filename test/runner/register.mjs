// Preloaded into the test process: imports of `uvu` in test files resolve to our wrapper, and the
// compiler parses unchanging files once.

import { register } from "node:module";
import "./share-parsed.mjs";

register("./resolve-uvu.mjs", import.meta.url);
