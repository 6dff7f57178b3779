// The `net` transport follows every rule of the conformance suite.

import { suite } from "uvu";
import { netTransport } from "../../runtime/http/net/transport.js";
import { addConformance } from "./run.js";

const test = suite("net conformance");
addConformance(test, netTransport);
test.run();
