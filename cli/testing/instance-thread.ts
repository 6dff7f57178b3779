// Entry point of the thread of a test instance: a server like that of `svc serve`, with executors
// and graphs, over in-memory connections. Threads share no modules, so one process can hold many
// instances.

import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { SvcError } from "../../runtime/base/errors.js";
import { MAX_PLUGIN_TIMEOUT_MS } from "../../runtime/base/limits.js";
import { configureLog } from "../../runtime/base/log-settings.js";
import { executeCall, type RpcRequest } from "../../runtime/base/wire/rpc-messages.js";
import type { Connect } from "../../runtime/dispatch/connector.js";
import { installThreadGraphs } from "../../runtime/graph/manager/installed-graphs.js";
import { MAIN_THREAD } from "../../runtime/graph/manager/thread-numbers.js";
import { GraphSupervisor } from "../../runtime/lifecycle/graph-supervisor.js";
import { HttpService } from "../../runtime/lifecycle/http-service.js";
import { startIoInThread } from "../../runtime/lifecycle/in-thread-io.js";
import type { ServerSettings } from "../../runtime/settings/server-settings.js";
import { loader, readBuild } from "../serving/built-project.js";
import { currentConfig } from "../serving/current-config.js";
import { resolveSettings } from "../serving/resolve-settings.js";
import { Faults } from "./faults.js";
import { createInMemoryConnect, InMemoryTransport } from "./in-memory-transport.js";
import type { InstanceCommand, InstanceData } from "./instance-control.js";

const data = workerData as InstanceData;
const faults = new Faults();
const transport = new InMemoryTransport(faults);
const backEnds = new Map<number, MessagePort>(data.backEnds);
let end: (() => Promise<void>) | null = null;

const connect: Connect = ({ port }, onread) =>
  createInMemoryConnect(backEnds.get(port)!, onread).asSocket;

async function settingsOf(): Promise<ServerSettings> {
  const { projectDir, root, dispatcher } = data;
  const config = await currentConfig(projectDir, readBuild(projectDir));
  const resolved = await resolveSettings(projectDir, config, { root });
  return {
    ...{
      ...resolved,
      port: 0,
      tls: null,
      drainSeconds: 0,
      shutdownTimeoutSeconds: 1,
      saveEvery: 0,
      durability: "off",
    },
    ...{ executors: 1, transport: "net", txPort: null, recordFile: null, audit: null },
    warmUp: false,
    // No limit in test time: threads that start while the clock advances take real time.
    loadTimeoutMs: MAX_PLUGIN_TIMEOUT_MS,
    ...{ logLevel: resolved.logLevel === "info" ? "warn" : resolved.logLevel },
    ...data.settings,
    dispatcher,
  };
}

async function start(): Promise<void> {
  process.env.NODE_ENV ??= "test";
  const settings = await settingsOf();
  configureLog(settings.logFormat, settings.logLevel);
  const { table } = loader(data.projectDir, data.role)();
  const graphs = new GraphSupervisor(settings);
  installThreadGraphs({ thread: MAIN_THREAD, source: graphs, openTransactions: null });
  try {
    await graphs.loaded;
    const service = await HttpService.startWithWorkers(settings, table, graphs, (io) =>
      startIoInThread(io, transport, connect),
    );
    end = async () => {
      await service.stop();
      await graphs.close({ isSaved: false });
    };
  } catch (error) {
    await graphs.close({ isSaved: false });
    throw error;
  }
}

function act(command: InstanceCommand): unknown {
  switch (command.op) {
    case "start":
      return start();
    case "open":
      return transport.open(command.offset, command.connectPort);
    case "reach":
      return void backEnds.set(command.port, command.connectPort);
    case "fault":
      return faults.set(command.fault);
    case "stop":
      return end?.();
  }
}

if (parentPort === null) throw new SvcError("SVC3301", "this is the entry of a thread");
parentPort.on(
  "message",
  (request: RpcRequest<InstanceCommand>) => void executeCall(parentPort!, request, act),
);
