// The argspec of the built-in plugins. It belongs to the package and not to a service, so that what
// is made from a build and what is made from its server are the same.

import { builtins } from "./.generated/builtins.js";
import type { Argspec } from "./argspec.js";

export const BUILTINS: Argspec = builtins;
