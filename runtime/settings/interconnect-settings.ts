// Rows of the table of settings: replication between instances.

import { archive } from "./archive-setting.js";
import { setting } from "./setting.js";
import { file, hostPorts, integer, optional, streamUri } from "./setting-types.js";

export const INTERCONNECT_SETTINGS = {
  /** Port that accepts the changes of a provider; null: none (default). */
  txPort: setting({
    key: "interconnect.txPort",
    library: "initialize",
    type: optional(integer(1, 65535)),
    default: [null],
    option: "tx-port",
    help: "port that accepts a provider; makes this instance a replica",
  }),
  /** `host:port` of subscribers, which receive all changes of graphs. Default none. */
  attach: setting({
    key: "interconnect.attach",
    type: hostPorts,
    default: [[]],
    option: "attach",
    help: "subscribers to replicate to, as `host:port`",
    optionHelp: "subscribers to replicate to, as host:port",
  }),
  /** Broker stream to which all changes of graphs are sent; null: none (default). */
  publishStream: setting({
    key: "interconnect.publishStream",
    type: optional(streamUri),
    default: [null],
    option: "tx-publish-stream",
    help: "broker stream to replicate to: `nats://host:port/NAME`",
    optionHelp: "broker stream to replicate to: nats://host:port/NAME",
  }),
  /** Broker stream from which all changes of graphs are received; null: none (default). */
  followStream: setting({
    key: "interconnect.followStream",
    library: "initialize",
    type: optional(streamUri),
    default: [null],
    option: "tx-follow-stream",
    help: "broker stream to replicate from: `nats://host:port/NAME`",
    optionHelp: "broker stream to replicate from: nats://host:port/NAME",
  }),
  /** Continuous backup: a folder or a bucket, or an object with periods; null: none (default). */
  archive: setting({
    key: "interconnect.archive",
    library: "initialize",
    type: optional(archive),
    default: [null],
    option: "archive",
    help: "continuous backup: location, or object of `to`, `every`, `full`, `keep`, `verify`",
    optionHelp: "folder or s3://bucket/prefix of a continuous backup",
  }),
  /** File with the shared replication key; null: the key in SVC_TX_KEY, or none. */
  txKeyFile: setting({
    key: "interconnect.keyFile",
    library: "initialize",
    type: optional(file),
    default: [null],
    option: "tx-key-file",
    help: "shared replication key file; without it only loopback can connect",
  }),
};
