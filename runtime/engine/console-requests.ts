// Requests of the console: its pages, on the ports where it is enabled, and plugin calls of its
// forms, which arrive on the admin port but go through the matrix.

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

  /** @param pages null if the console is disabled */
  constructor(pages: PackagedFiles | null, isOnBoth: boolean, trusted: TrustedClients) {
    this.#pages = pages;
    this.#isOnBoth = isOnBoth;
    this.#trusted = trusted;
  }

  /** Answers with a page or a file of the console; returns false for other paths. */
  serve(exchange: Exchange, port: 0 | 1, path: string): boolean {
    if (this.#pages === null || (port === 0 && !this.#isOnBoth)) return false;
    return this.#pages.serve(exchange, path);
  }

  /**
   * Returns whether the request goes through the matrix. Cross-origin requests cannot carry this
   * field.
   */
  isForMatrix(exchange: Exchange, path: string): boolean {
    if (!path.startsWith(PLUGIN_PATH) && path !== MATRIX_PLUGINS) return false;
    return exchange.headers.get(FIELD) === "matrix" && this.#trusted.isTrusted(exchange);
  }
}
