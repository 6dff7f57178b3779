// Public entry point "svc-server/testing": a service, or a matrix, inside a test.

export type { Duration } from "./duration.js";
export type { Fault } from "./fault.js";
export type { TestCallOptions, TestCalls } from "./test-calls.js";
export type { TestClock } from "./test-clock.js";
export {
  type MatrixOptions,
  type TestEngine,
  type TestMatrix,
  testMatrix,
} from "./test-matrix.js";
export { type TestOptions, type TestService, testService } from "./test-service.js";
