// `--open`: shows the console in the user's browser. The address is printed anyway.

import { spawn } from "node:child_process";
import type { HttpService } from "../../runtime/lifecycle/http-service.js";
import { consoleAddress } from "./announce.js";

/**
 * Programs that open an address, by platform; the address is an argument, never part of a shell
 * command.
 */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

export function openConsole(service: HttpService): void {
  const address = consoleAddress(service);
  if (address === null) {
    console.log("svc: console is disabled (http.console is off)");
    return;
  }
  const [program, ...args] = OPENERS[process.platform] ?? ["xdg-open"];
  const child = spawn(program, [...args, address], { stdio: "ignore", detached: true });
  child.on("error", () => console.log(`svc: cannot open a browser; visit ${address}`));
  child.unref();
}
