// A built project as a service within a test process: the production code from the first byte of a
// request to the last byte of its response, without socket or port. It has its own threads, clock
// and temporary data folder.

/// <reference lib="esnext.disposable" preserve="true" />

import type { Fault } from "./fault.js";
import { type Callable, createCalls, type TestCalls } from "./test-calls.js";
import { TestClock } from "./test-clock.js";
import { TestInstance } from "./test-instance.js";
import type { Fetch, TestSettings } from "./test-settings.js";
import { closeInstances, closeOnFailure, testedProject } from "./tested-project.js";

export interface TestOptions {
  /** Builds the project first unless its build is current. Default true. */
  readonly build?: boolean;
  /** Settings that override the project's, by their `startHTTP` names. */
  readonly settings?: TestSettings;
}

export interface TestService<Calls> extends Callable<Calls>, AsyncDisposable {
  /** Like the global `fetch`, for paths of this service; generated clients accept it as `fetch`. */
  readonly fetch: Fetch;
  /** Like `fetch`, for paths of the admin port. */
  readonly fetchAdmin: Fetch;
  /** Clock of the service, including plugins and graphs. */
  readonly clock: TestClock;
  /**
   * Injects a fault; null removes it.
   * @throws SvcError SVC3300 for an unknown fault
   */
  fault(fault: Fault | null): Promise<void>;
  /** Stops it after its running requests, and deletes its data. */
  close(): Promise<void>;
}

/**
 * Starts a project as a service, reachable from this process only.
 * @param folder of the project
 * @throws SvcError SVC2944 for a project that does not build, SVC2201 for plugins that do not load
 * @example
 * await using service = await testService<PluginRegistry>(".");
 * await service.call("hello", { name: "you" });
 */
export async function testService<Calls = TestCalls>(
  folder = ".",
  options: TestOptions = {},
): Promise<TestService<Calls>> {
  const project = await testedProject(folder, options.build !== false);
  const { settings = {} } = options;
  const clock = new TestClock();
  const data = {
    ...{ projectDir: project.folder, root: project.root("engine"), role: undefined, settings },
    ...{ dispatcher: null, backEnds: [] },
  };
  const instance = new TestInstance(data, clock);
  const close = closeInstances(project, clock, () => [instance]);
  await closeOnFailure(close, () => instance.start());
  const { fetch, fetchAdmin } = instance;
  return {
    ...{ fetch, fetchAdmin, clock, close, call: createCalls<Calls>(project.argspec, fetch) },
    fault: (fault) => instance.fault(fault),
    [Symbol.asyncDispose]: close,
  };
}
