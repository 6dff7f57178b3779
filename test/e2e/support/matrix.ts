// A matrix in one tree of processes: engines and a dispatcher in library mode, each in its own
// process, with a fault-injecting proxy in front of every engine.
//
//   client ─► dispatcher ─► proxy ─► engine      (columns x rows)

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { bundleSource } from "../../property/support/bundle-source.js";
import { COMPILED_CODE, nodeCommand } from "../../runner/node-command.mjs";
import { FaultProxy } from "./fault-proxy.js";
import type { NodeSettings, Order, Report } from "./matrix-node.js";

const LIBRARY = new URL("../../../dist/index.js", import.meta.url).href;
let program: string | null = null;

type Op = Order["op"];

/** Options of a node that differ from the defaults. */
export interface NodeOptions {
  readonly port?: number;
  readonly dispatcher?: object;
  readonly prefix?: string;
  readonly servicein?: boolean;
  readonly explain?: NodeSettings["explain"];
  /** Default true. */
  readonly processors?: boolean;
  readonly table?: NonNullable<NodeSettings["table"]>;
  readonly journal?: string;
}

/** One instance of the service. */
export class MatrixNode {
  readonly #folder = mkdtempSync(join(tmpdir(), "svc-node-"));
  readonly #waiting = new Map<number, (report: Report) => void>();
  readonly #process: ChildProcess;
  #orders = 0;
  #log = "";
  port = 0;

  private constructor() {
    const [execPath, ...execArgv] = nodeCommand();
    program ??= writeProgram();
    this.#process = fork(program, [LIBRARY], {
      execPath,
      execArgv: [...execArgv, ...COMPILED_CODE],
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    for (const stream of [this.#process.stdout!, this.#process.stderr!]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        this.#log += text;
      });
    }
    this.#process.on("message", (report: Report) => {
      this.#waiting.get(report.id)?.(report);
      this.#waiting.delete(report.id);
    });
    this.#process.on("exit", () => {
      for (const [id, settle] of this.#waiting) settle({ id, error: `it ended:\n${this.#log}` });
    });
  }

  static async start(options: NodeOptions = {}): Promise<MatrixNode> {
    const node = new MatrixNode();
    node.port = (await node.order("start", {
      port: options.port ?? 0,
      root: node.#folder,
      journal: options.journal ?? join(node.#folder, "journal"),
      dispatcher: options.dispatcher ?? null,
      prefix: options.prefix ?? null,
      servicein: options.servicein ?? true,
      explain: options.explain ?? "anyone",
      processors: options.processors ?? true,
      table: options.table ?? null,
    } satisfies NodeSettings)) as number;
    return node;
  }

  get pid(): number {
    return this.#process.pid!;
  }

  /** Output on its standard streams. */
  get log(): string {
    return this.#log;
  }

  /** Sends a command, and resolves with its result. */
  async order(op: Op, value: unknown = null): Promise<unknown> {
    const id = this.#orders++;
    const settled = new Promise<Report>((resolve) => this.#waiting.set(id, resolve));
    this.#process.send({ id, op, value } satisfies Order);
    const { value: result, error } = await settled;
    if (error !== undefined) throw new Error(`${op}: ${error}`);
    return result;
  }

  serviceIn(on: boolean): Promise<unknown> {
    return this.order("serviceIn", on);
  }

  /** Stops the process, with its connections open. */
  hang(): void {
    this.#process.kill("SIGSTOP");
  }

  resume(): void {
    this.#process.kill("SIGCONT");
  }

  async kill(): Promise<void> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      const exited = once(this.#process, "exit");
      this.#process.kill("SIGKILL");
      await exited;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** The program of all nodes, bundled once. */
function writeProgram(): string {
  const folder = mkdtempSync(join(tmpdir(), "svc-matrix-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "node.cjs");
  writeFileSync(path, bundleSource(new URL("./matrix-node.ts", import.meta.url)));
  return path;
}

export interface MatrixOptions {
  /** By row, with defaults for missing values. */
  readonly replicas?: readonly object[];
  readonly options?: object;
}

/** One position of the matrix. */
export class MatrixPlace {
  constructor(
    readonly proxy: FaultProxy,
    readonly journal: string,
    public engine: MatrixNode,
  ) {}

  /** Replaces an engine that was killed; the dispatcher finds the new one at the same address. */
  async restart(): Promise<void> {
    this.engine = await MatrixNode.start({ journal: this.journal });
    this.proxy.target = this.engine.port;
  }

  async kill(): Promise<void> {
    this.proxy.target = 0;
    await this.engine.kill();
  }
}

export class TestMatrix {
  constructor(
    readonly dispatcher: MatrixNode,
    /** By partition, then replica. */
    readonly places: readonly (readonly MatrixPlace[])[],
    readonly config: object,
    readonly journal: string,
  ) {}

  place(partition: number, replica: number): MatrixPlace {
    return this.places[partition]![replica]!;
  }

  engines(): MatrixNode[] {
    return this.places.flat().map(({ engine }) => engine);
  }

  /** `id partition` of the executed writes, one entry for each execution. */
  written(): string[] {
    return readFileSync(this.journal, "utf8").split("\n").slice(0, -1);
  }

  /** Ends all executions of `hold`. */
  release(): void {
    writeFileSync(`${this.journal}.released`, "");
  }

  async stop(): Promise<void> {
    await Promise.all([this.dispatcher, ...this.engines()].map((node) => node.kill()));
    await Promise.all(this.places.flat().map(({ proxy }) => proxy.close()));
    rmSync(dirname(this.journal), { recursive: true });
  }
}

/** Starts `rows` x `columns` engines with the plugins of `matrix-plugins.ts`, and a dispatcher. */
export async function matrix(
  rows: number,
  columns: number,
  { replicas = new Array(rows).fill({}), options = {} }: MatrixOptions = {},
): Promise<TestMatrix> {
  const journal = join(mkdtempSync(join(tmpdir(), "svc-journal-")), "journal");
  writeFileSync(journal, "");
  const startPlace = async (): Promise<MatrixPlace> => {
    const engine = await MatrixNode.start({ journal });
    return new MatrixPlace(await FaultProxy.start(engine.port), journal, engine);
  };
  const places = await Promise.all(
    Array.from({ length: columns }, () => Promise.all(Array.from({ length: rows }, startPlace))),
  );
  const partitions = places.map((column) => {
    return column.map(({ proxy }) => ({ host: "127.0.0.1", port: proxy.port }));
  });
  const config = { partitions, replicas, options };
  const dispatcher = await MatrixNode.start({ dispatcher: config });
  return new TestMatrix(dispatcher, places, config, journal);
}
