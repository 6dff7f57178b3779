// What the console is to the engine: pages on the ports where they are wanted, and plugins that its
// forms send through the matrix although they come to the admin port.

import type { PackagedFiles } from "../http/packaged-files.js";
import type { Exchange } from "../http/transport.js";
import type { TrustedClients } from "../http/trusted-clients.js";
import { PLUGIN_PATH } from "./route-table.js";

const FIELD = "x-svc-console";
const MATRIX_PLUGINS = "/svc/builtin/matrixplugins";

export class ConsoleRequests {
  readonly #pages: PackagedFiles | null;
  readonly #isOnBoth: boolean;
  readonly #trusted: TrustedClients;

  /** @param pages null where they are not wanted */
  constructor(pages: PackagedFiles | null, isOnBoth: boolean, trusted: TrustedClients) {
    this.#pages = pages;
    this.#isOnBoth = isOnBoth;
    this.#trusted = trusted;
  }

  /** Answers with a page or a file of the console; false where that is not what is asked for. */
  serve(exchange: Exchange, port: 0 | 1, path: string): boolean {
    if (this.#pages === null || (port === 0 && !this.#isOnBoth)) return false;
    return this.#pages.serve(exchange, path);
  }

  /** Whether it goes through the matrix. No page of another origin can send such a field. */
  isForMatrix(exchange: Exchange, path: string): boolean {
    if (!path.startsWith(PLUGIN_PATH) && path !== MATRIX_PLUGINS) return false;
    return exchange.headers.get(FIELD) === "matrix" && this.#trusted.isTrusted(exchange);
  }
}
