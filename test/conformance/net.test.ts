// The `net` transport keeps every rule of the conformance suite.

import { netTransport } from "../../runtime/http/net/transport.js";
import { runConformance } from "./run.js";

runConformance(netTransport, new Set());
