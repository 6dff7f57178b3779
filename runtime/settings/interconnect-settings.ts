// Rows of the table of settings that are about other instances, which get or provide graphs; see
// table.ts, of which they are a part.

import { setting } from "./setting.js";
import { file, hostPorts, integer, optional, streamUri } from "./setting-types.js";

export const INTERCONNECT_SETTINGS = {
  /** Port that another instance provides its graphs to; null: none (default). */
  txPort: setting({
    key: "interconnect.txPort",
    type: optional(integer(1, 65535)),
    default: [null],
    option: "tx-port",
    help: "port that another instance provides its graphs to, which become a replica of them",
  }),
  /** `host:port` of instances that all changes of graphs are sent to. Default none. */
  attach: setting({
    key: "interconnect.attach",
    type: hostPorts,
    default: [[]],
    option: "attach",
    help: "`host:port` of instances that all changes of graphs are sent to",
    optionHelp: "host:port of instances that all changes of graphs are sent to",
  }),
  /** Stream of a broker that all changes of graphs are sent to; null: none (default). */
  stream: setting({
    key: "interconnect.stream",
    type: optional(streamUri),
    default: [null],
    option: "tx-stream",
    help: "`nats://host:port/NAME`: stream of a broker that all changes of graphs are sent to",
    optionHelp: "nats://host:port/NAME, a stream that all changes of graphs are sent to",
  }),
  /** Stream of a broker that all changes of graphs come from; null: none (default). */
  streamFrom: setting({
    key: "interconnect.streamFrom",
    type: optional(streamUri),
    default: [null],
    option: "tx-stream-from",
    help: "`nats://host:port/NAME`: stream of a broker that this instance is a replica of",
    optionHelp: "nats://host:port/NAME, a stream that this instance is a replica of",
  }),
  /** File with the key that both instances have; null: that in SVC_TX_KEY, or none. */
  txKeyFile: setting({
    key: "interconnect.keyFile",
    type: optional(file),
    default: [null],
    option: "tx-key-file",
    help: "file with the key that both instances have; without one only this machine is talked to",
  }),
};
