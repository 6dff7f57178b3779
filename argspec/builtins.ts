// The argspec of the built-in plugins. It belongs to the package, not to a service, so that output
// made from a build and output made from its server are equal.

import { builtins } from "./.generated/builtins.js";
import type { Argspec } from "./argspec.js";

export const BUILTINS: Argspec = builtins;
