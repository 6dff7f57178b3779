// `svc serve --supervise`: runs the server in a child process and restarts it whenever it exits.
// Forwards signals, and exits with its exit code.

import { SvcError } from "../../runtime/base/errors.js";
import { ignoreBrokenPipe, log } from "../../runtime/base/log.js";
import { configureLog } from "../../runtime/base/log-settings.js";
import { onTerminationSignal } from "../../runtime/lifecycle/termination-signals.js";
import { Instance, type InstanceEvents } from "./instance.js";

/** Options only for the supervisor: a restarted server must not open another browser. */
const SWITCH = /^--(?:supervise|open)(?:=.*)?$/;

/**
 * Resolves with the exit code after a signal has stopped the server.
 * @param words arguments after `svc serve`
 * @param open whether the first start shows the console in a browser
 * @throws SvcError SVC3070 if the server does not start
 */
export async function supervise(words: readonly string[], open: boolean): Promise<number> {
  configureLog("auto", "info");
  ignoreBrokenPipe();
  delete process.env.SVC_SUPERVISE;
  delete process.env.SVC_OPEN;
  const options = words.filter((word) => !SWITCH.test(word));
  const events: InstanceEvents = {
    up: ({ port }) => process.send?.({ port }),
    down: (_, reason, delayMs) => {
      log(`server exited (${reason}); restarting in ${delayMs} ms`, "error");
    },
    line() {},
  };
  const instance = new Instance("server", null, options, events, true);
  let stopped: Promise<number> | null = null;
  const ended = new Promise<number>((resolve) => {
    const stop = (signal: NodeJS.Signals): void => {
      stopped ??= instance.stop(signal);
      stopped.then(resolve);
    };
    onTerminationSignal(
      (signal) => stop(signal as NodeJS.Signals),
      () => instance.kill(),
    );
    process.once("disconnect", () => stop("SIGTERM"));
    process.channel?.unref();
  });
  try {
    await instance.start(open ? ["--open"] : []);
  } catch (error) {
    if (stopped === null) throw new SvcError("SVC3070", (error as Error).message);
  }
  return ended;
}
