// Public entry "svc-server/testing": a service inside of a test.

export type { Duration } from "./duration.js";
export type { Fault } from "./faults.js";
export type { TestCallOptions, TestCalls } from "./test-calls.js";
export type { TestClock } from "./test-clock.js";
export { type TestOptions, type TestService, testService } from "./test-service.js";
