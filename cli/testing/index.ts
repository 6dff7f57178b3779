// Public entry "svc-server/testing": a service inside of a test.

export {
  type TestCallOptions,
  type TestCalls,
  type TestOptions,
  type TestService,
  testService,
} from "./test-service.js";
