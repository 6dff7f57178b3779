// JSON schema of a descriptor, with which editors complete and check `svc.system.json`. It covers
// the form; `readDescriptor` checks ids and ports.

import { PERIOD, PERIODS } from "../base/archive-config.js";
import {
  DEFAULT_CHANNELS,
  DEFAULT_PRIORITY,
  MAX_CHANNELS,
  MAX_MATRIX_DIMENSION,
  MAX_PRIORITY,
  MAX_SLOTS,
  MIN_SLOTS,
} from "../base/limits.js";
import { INSTANCE_TYPES } from "./descriptor.js";
import { DESCRIPTOR_FORMAT, GRAPH_NAME } from "./read-descriptor.js";
import { HOST, ID, MAX_PORT, PREFIX } from "./read-instances.js";
import { DEFAULT_TTL_MS, MAX_MEMBERS, MAX_TTL_MS, MIN_TTL_MS } from "./read-leadership.js";

// Null equals omission, except for required values.
const FLAG = { enum: [true, false, 0, 1, null] };
const TEXT = { type: ["string", "null"] };
const port = (minimum: number, maximum: number) => ({ minimum, maximum });

/** Returns the pattern of a name with ranges, or numbers of ranges, in braces. */
function withBraces({ source }: RegExp, maxLength = 253): string {
  return source.replace("^[", "^[{").replace(/-\]\{(\d+),\d+\}\$$/, `{}-]{$1,${maxLength}}$`);
}

const PARAMETERS: Readonly<Record<string, object>> = {
  type: { enum: [...INSTANCE_TYPES, null], default: "generic" },
  group: { type: ["number", "null"], description: "Place in displays; negative: computed." },
  graph: { ...TEXT, description: "Graphs, with blanks between them." },
  host: { ...TEXT, pattern: withBraces(HOST), default: "127.0.0.1" },
  hport: {
    ...{ type: "integer", ...port(1, MAX_PORT - 1) },
    description: "Main port; the admin port is the next one.",
  },
  prefix: { ...TEXT, pattern: PREFIX.source },
  "s-in": { ...FLAG, description: "Whether it starts Service-IN." },
  attach: { ...FLAG, description: "Whether it provides its subscribers from the start." },
  tport: {
    ...{ type: ["integer", "null"], ...port(0, MAX_PORT) },
    description: "Port that it takes changes on; 0: none.",
  },
  durable: { ...FLAG, description: "Whether it keeps a log of the changes that it takes." },
  description: { ...TEXT, minLength: 1, maxLength: 1000 },
  partition: { description: "Computed; ignored here." },
  comment: {},
};

const COUNT = {
  ...{ type: ["integer", "null"], minimum: 1 },
  description: "Number of equal dispatchers, whose ids end with 1, 2, ...",
};

const ROW: Readonly<Record<string, object>> = {
  channels: {
    ...{ type: ["integer", "null"], minimum: 1, maximum: MAX_CHANNELS, default: DEFAULT_CHANNELS },
    description: "Most connections to each back-end.",
  },
  priority: {
    ...{ type: ["integer", "null"], minimum: -1, maximum: MAX_PRIORITY, default: DEFAULT_PRIORITY },
    description: "Cost of one running request; -1 without partitions: parts may lack.",
  },
  primary: { ...FLAG, description: "Receives requests for one replica alone." },
  comment: {},
};

/** Unknown keys are errors. */
const CLOSED = { type: "object", additionalProperties: false };

const FILE = { ...TEXT, minLength: 1 };
const TLS = {
  anyOf: [
    { type: ["boolean", "null"] },
    { ...CLOSED, properties: { ca: FILE, cert: FILE, key: FILE, name: FILE } },
  ],
  description:
    "TLS between instances: which certificate authority to trust, and which certificate to show.",
};

const NAMES = { type: "array", items: { type: "string", minLength: 1, maxLength: 100 } };
const SLOTS = {
  ...CLOSED,
  required: ["graphs"],
  properties: {
    graphs: { ...NAMES, minItems: 1 },
    count: { type: ["integer", "null"], minimum: MIN_SLOTS, maximum: MAX_SLOTS },
    everywhere: { ...NAMES, description: "Types of vertices that exist in every group." },
    comment: {},
  },
  description: "Division of the data by key.",
};

const PERIOD_TEXT = { ...TEXT, pattern: PERIOD.source };
const ARCHIVE = {
  ...{ type: ["object", "null"], additionalProperties: false, required: ["from", "to"] },
  properties: {
    from: { type: "string", description: "Instance that makes the backup." },
    to: { type: "string", description: "Folder, or s3://bucket/prefix." },
    every: { ...PERIOD_TEXT, default: PERIODS.every, description: "Time between additions." },
    full: { ...PERIOD_TEXT, default: PERIODS.full, description: "Time between full backups." },
    keep: { ...PERIOD_TEXT, default: PERIODS.keep, description: "Time that moments are kept." },
    verify: { ...PERIOD_TEXT, default: PERIODS.verify, description: "Time between verifications." },
  },
  description: "Continuous backup of the system.",
};

const LEADERSHIP = {
  ...CLOSED,
  type: ["object", "null"],
  required: ["engine"],
  properties: {
    engine: { type: "string", minLength: 1, description: "Keeps one record for each group." },
    ttl: { type: "integer", minimum: MIN_TTL_MS, maximum: MAX_TTL_MS, default: DEFAULT_TTL_MS },
    minSynced: { type: "integer", minimum: 0, maximum: MAX_MEMBERS - 1, default: 1 },
    whenAlone: { enum: ["refuse", "go-on"], default: "refuse" },
    comment: {},
  },
  description: "How the instances of a tree choose which of them provides.",
};

const REF = { parameters: { $ref: "#/$defs/parameters" }, tree: { $ref: "#/$defs/tree" } };
const ID_PATTERN = { pattern: withBraces(ID, 200) };

/** Returns the schema published with the package, which `$schema` of a descriptor refers to. */
export function descriptorSchema(): object {
  const pair = { type: "array", prefixItems: [{ type: "string" }, REF.tree], minItems: 2 };
  const partitions = { type: "array", items: { type: "string" }, maxItems: MAX_MATRIX_DIMENSION };
  const row = { ...CLOSED, required: ["partitions"], properties: { ...ROW, partitions } };
  const rows = { type: "array", items: row };
  const replicas = { additionalProperties: { ...CLOSED, properties: ROW } };
  const dispatch = { anyOf: [rows, { type: "object", ...replicas }] };
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "System of svc instances",
    ...CLOSED,
    required: ["instances"],
    properties: {
      $schema: { type: "string" },
      comment: {},
      format: { enum: [DESCRIPTOR_FORMAT, null], default: DESCRIPTOR_FORMAT },
      name: { type: "string", minLength: 1 },
      graphs: { type: "array", items: { type: "string", pattern: GRAPH_NAME.source } },
      common: REF.parameters,
      tls: TLS,
      slots: { anyOf: [{ type: "null" }, SLOTS] },
      archive: ARCHIVE,
      leadership: LEADERSHIP,
      instances: {
        ...{ type: "object", minProperties: 1, propertyNames: ID_PATTERN },
        additionalProperties: { ...CLOSED, properties: { ...PARAMETERS, count: COUNT } },
      },
      topology: {
        ...CLOSED,
        properties: {
          transaction: REF.tree,
          dispatch: { type: "object", additionalProperties: dispatch },
          // Names of older descriptors.
          input: REF.tree,
          search: { type: "object", additionalProperties: dispatch },
        },
      },
    },
    $defs: {
      parameters: { ...CLOSED, properties: PARAMETERS },
      tree: {
        anyOf: [
          { type: "null" },
          { type: "array", items: { anyOf: [{ type: "string" }, { ...pair, maxItems: 2 }] } },
          { type: "object", additionalProperties: REF.tree },
        ],
      },
    },
  };
}
