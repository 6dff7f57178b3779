// A project in service, with operations for signals and operators. A restart creates a new service
// for the same graphs; callers always get the current one.

import { log } from "../../runtime/base/log.js";
import { logEvent } from "../../runtime/base/recent-events.js";
import type { GraphSupervisor } from "../../runtime/lifecycle/graph-supervisor.js";
import { HttpService } from "../../runtime/lifecycle/http-service.js";
import type { ServerOwner } from "../../runtime/lifecycle/operation.js";
import type { SlotKeeper } from "../../runtime/lifecycle/slot-keeper.js";
import type { PluginTable } from "../../runtime/plugin/contract/plugin-table.js";
import type { ServerSettings } from "../../runtime/settings/server-settings.js";

/** Plugins and identity of a build. */
interface LoadedBuild {
  readonly table: PluginTable;
  readonly build: string;
}

export type LoadBuild = () => LoadedBuild;

export class ServedProject implements ServerOwner {
  readonly #graphs: GraphSupervisor;
  readonly #load: LoadBuild;
  #service: HttpService;
  #table: PluginTable;
  #keeper: SlotKeeper | null = null;
  #changing: Promise<unknown> = Promise.resolve();

  private constructor(
    service: HttpService,
    table: PluginTable,
    graphs: GraphSupervisor,
    load: LoadBuild,
  ) {
    this.#service = service;
    this.#table = table;
    this.#graphs = graphs;
    this.#load = load;
    this.#letOperate();
  }

  /** @throws SvcError SVC2201 if plugins cannot be loaded, SVC2202 if a port cannot be bound */
  static async start(
    settings: ServerSettings,
    load: LoadBuild,
    graphs: GraphSupervisor,
  ): Promise<ServedProject> {
    const { table, build } = load();
    const service = await HttpService.startWithWorkers({ ...settings, build }, table, graphs);
    const project = new ServedProject(service, table, graphs, load);
    await project.#keepSlots();
    return project;
  }

  get service(): HttpService {
    return this.#service;
  }

  get table(): PluginTable {
    return this.#table;
  }

  /**
   * Loads the newest build; running requests finish on the old one.
   * @throws SvcError SVC2201, SVC3006; the old build then stays in service
   */
  reload(): Promise<readonly string[]> {
    return this.#change(async () => {
      const { table, build } = this.#load();
      await this.#service.reload(table);
      this.#service.setNode({ build });
      this.#table = table;
      return Object.entries(table.routes).map(([path, roles]) => {
        return `Plugin ${Object.keys(roles).join(",")}=${path}`;
      });
    });
  }

  restart(dispatcher: object | null): Promise<void> {
    return this.#change(() => this.#restart(dispatcher));
  }

  shutdown(): void {
    process.kill(process.pid, "SIGTERM");
  }

  stop(): Promise<void> {
    // Waits for a restart in progress, which starts another keeper.
    return this.#change(() => {
      this.#keeper?.close();
      return this.#service.stop();
    });
  }

  /** Runs changes one after the other. */
  #change<T>(change: () => Promise<T>): Promise<T> {
    const changed = this.#changing.then(change);
    this.#changing = changed.catch(() => undefined);
    return changed;
  }

  async #restart(dispatcher: object | null): Promise<void> {
    const former = this.#service;
    const { port, node, serviceIn } = former;
    const settings = { ...former.settings, port, servicein: serviceIn, build: node.build };
    await former.stop();
    try {
      await this.#start({ ...settings, dispatcher });
    } catch (error) {
      log(`restart failed: ${(error as Error).message}`, "error");
      await this.#startAsBefore(settings);
    }
    const { id, descriptor, descriptorHash } = node;
    this.#service.setNode({ id, descriptor, descriptorHash });
    logEvent("service", "server restarted", "info", { port });
  }

  async #start(settings: ServerSettings): Promise<void> {
    this.#service = await HttpService.startWithWorkers(settings, this.#table, this.#graphs);
    this.#letOperate();
    await this.#keepSlots();
  }

  /** Starts with the former settings. If that fails, the process exits, so that it is restarted. */
  async #startAsBefore(settings: ServerSettings): Promise<void> {
    try {
      await this.#start(settings);
    } catch (error) {
      log(`rollback failed too: ${(error as Error).message}`, "error");
      await this.#graphs.close({ isSaved: true });
      process.exit(1);
    }
  }

  #letOperate(): void {
    const parts = { service: this.#service, graphs: this.#graphs, owner: this };
    this.#service.setOperator(async (operation, args) => {
      const { operate } = await import("../../runtime/lifecycle/control-operations.js");
      return operate(parts, operation, args);
    });
  }

  async #keepSlots(): Promise<void> {
    this.#keeper?.close();
    const { slots } = this.#graphs;
    if (slots === null) return;
    const { keepSlots } = await import("../../runtime/lifecycle/slot-keeper.js");
    this.#keeper = keepSlots(this.#service, this.#graphs, slots);
  }
}
