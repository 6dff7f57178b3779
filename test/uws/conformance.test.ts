// The `uws` transport follows every rule of the conformance suite except for the known differences.

import { suite } from "uvu";
import { loadTransport } from "../../runtime/http/load-transport.js";
import { addConformance } from "../conformance/run.js";
import { differences } from "./differences.js";

const test = suite("uws conformance");
const { transport } = await loadTransport("uws", import.meta.dirname);
addConformance(test, transport, differences);
test.run();
