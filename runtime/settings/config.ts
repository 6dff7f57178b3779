// Public entry "svc-server/config": the shape of `svc.config.ts`. Types only, and one function that
// lets the editor check them; `svc build` validates the values and resolves the defaults.

export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue | undefined };

export interface HttpConfig {
  /** Main port; the admin server takes the next one. 0 picks a free pair. Default 9000. */
  readonly port?: number | undefined;
  /** Address to bind, null for all (default). */
  readonly ip?: string | null | undefined;
  /** Address to bind for the admin port alone; null: as `ip` (default). */
  readonly adminIp?: string | null | undefined;
  /** All paths answer below this prefix too. Default null: no prefix. */
  readonly prefix?: string | null | undefined;
  /** Whether the service starts Service-IN. Default true. */
  readonly servicein?: boolean | undefined;
  /** `uws` needs the package hyper-express; `auto` (default) takes it where it loads. */
  readonly transport?: "auto" | "net" | "uws" | undefined;
  /** Value of Access-Control-Allow-Origin; null sends none (default). */
  readonly cors?: string | null | undefined;
  /** Largest request body in bytes. Default 64 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /** Whether answers to plugin errors carry stack lines. Default true. */
  readonly traceback?: boolean | undefined;
  /** Networks (`10.0.0.0/8`) that may change things, beside loopback. Default none. */
  readonly trusted?: readonly string[] | undefined;
}

export interface GraphConfig {
  /** Folder below the root, with `/`. Default: the name of the graph. */
  readonly path?: string | null | undefined;
  /** Nobody may change it. Default false. */
  readonly readonly?: boolean | undefined;
  /** Its changes are not passed on to other instances. Default false. */
  readonly local?: boolean | undefined;
}

/** A plugin that the configuration declares, in place of a tag in its source. */
export interface PluginDeclaration {
  /** Service name. */
  readonly name: string;
  /** Path of the module that holds the functions named without a module of their own. */
  readonly module?: string | undefined;
  /** Function to run: an export of `module`, or `path#export`. */
  readonly engine?: string | undefined;
  readonly pre?: string | undefined;
  readonly post?: string | undefined;
  /** Graph to bind. */
  readonly graph?: string | null | undefined;
}

export interface SvcConfig {
  /** Service name. Default: the name in package.json. */
  readonly name?: string | null | undefined;
  /** Data folder, relative to the project. Default `./data`. */
  readonly root?: string | undefined;
  readonly http?: HttpConfig | undefined;
  /** Glob patterns and declarations. Default: every `.ts` file below `plugins`. */
  readonly plugins?: readonly (string | PluginDeclaration)[] | undefined;
  /** Graphs to open at start, by name. Those that are stored in the root are opened anyway. */
  readonly graphs?: { readonly [name: string]: GraphConfig } | undefined;
  /** Seconds between saves of graphs that have changed, 0 for none. Default 300. */
  readonly saveEvery?: number | undefined;
  /** Worker threads that run plugins, 1 to 32; `auto`: one less than there are cores. Default 1. */
  readonly executors?: number | "auto" | undefined;
  /** Heap of one executor in MiB, at least 16; 0 leaves it to Node. Default 0. */
  readonly executorHeapMb?: number | undefined;
  readonly plugin?:
    | {
        /** Longest run of one plugin call in milliseconds, 0 for no bound. Default 30000. */
        readonly timeoutMs?: number | undefined;
      }
    | undefined;
  /** Dispatcher configuration (interface, "Dispatcher configuration"). */
  readonly dispatcher?: { readonly [key: string]: JsonValue } | null | undefined;
  /** System descriptor: its path relative to the project, or its value. */
  readonly descriptor?: string | { readonly [key: string]: JsonValue } | null | undefined;
}

/**
 * Gives `svc.config.ts` its types.
 *
 * @param config the configuration, which is returned as it is
 * @example
 * export default defineConfig({ name: "shop", http: { port: 8000 } });
 */
export function defineConfig(config: SvcConfig): SvcConfig {
  return config;
}
