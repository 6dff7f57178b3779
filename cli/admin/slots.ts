// `svc admin slots`: counts vertices by group and type, and lists types that should exist in every
// group. Read-only, so that an operator can try `slots` before sending a descriptor.

import { SvcError } from "../../runtime/base/errors.js";
import { latestRecord } from "../../runtime/base/next-slot-step.js";
import { isPlainObject } from "../../runtime/base/plain-object.js";
import { SlotMap } from "../../runtime/base/slot-map.js";
import { S_DEG, S_DESC } from "../../runtime/base/sort-constants.js";
import { F_DEG, F_ID, F_TYPE, R_DICT } from "../../runtime/graph/model/constants.js";
import { requestInstance } from "../../runtime/system/instance-client.js";
import { SlotInstances } from "../../runtime/system/slot-moves/slot-instances.js";
import type { System } from "../../runtime/system/system.js";
import type { AdminContext } from "./context.js";
import { table } from "./table.js";

const TIMEOUT_MS = 30_000;
/** Number of vertices to examine in each group: those with the most arcs. */
const SAMPLE = 1000;
/** A vertex is a hub above this share of the arcs of its group, and this number of arcs. */
const HUB_SHARE = 0.05;
const HUB_ARCS = 100;

interface SampledVertex {
  readonly id: string;
  readonly type: string;
  readonly degree: number;
}

/** A graph in one group. */
interface GroupGraph {
  readonly graph: string;
  readonly group: string;
  readonly arcs: number;
  /** Vertices by type. */
  readonly types: Readonly<Record<string, number>>;
  readonly sample: readonly SampledVertex[];
}

type Slots = NonNullable<System["slots"]>;

export async function run(context: AdminContext): Promise<number> {
  const { slots } = context.system;
  if (slots === null) {
    throw new SvcError("SVC3004", "the descriptor has no `slots`; add them to see their effect");
  }
  const pairs = slots.graphs.flatMap((graph) => slots.groups.map((group) => [graph, group]));
  const groupGraphs = await Promise.all(
    pairs.map(([graph, group]) => readGroup(context, graph!, group!)),
  );
  const division = { ...slots, ...(await readMovedMap(context, slots)) };
  const warnings = slots.graphs.flatMap((graph) => {
    return listWarnings(
      division,
      groupGraphs.filter((entry) => entry.graph === graph),
    );
  });
  const counts = groupGraphs.map(({ graph, group, arcs, types }) => ({
    graph,
    group,
    arcs,
    types,
  }));
  const rows = counts.flatMap(({ graph, group, types }) =>
    Object.entries(types).map(([type, count]) => [
      ...[graph, group, type, `${count}`, slots.everywhere.includes(type) ? "every group" : ""],
    ]),
  );
  const lines = table(["Graph", "Group", "Type", "Vertices", "In"], rows);
  context.print({ counts, warnings }, [...lines, ...warnings]);
  return 0;
}

/** Returns the map of instances whose slots have moved; null: that of the descriptor holds. */
async function readMovedMap(
  context: AdminContext,
  { groups }: Slots,
): Promise<Pick<Slots, "map" | "groups"> | null> {
  const instances = new SlotInstances(context, null);
  // Instances without slots, before the descriptor is sent, reject the request.
  const states = await Promise.allSettled(groups.map((group) => instances.readState(group)));
  const records = states.flatMap((state) =>
    state.status === "fulfilled" && state.value.record.version > 0 ? [state.value.record] : [],
  );
  return latestRecord(records);
}

async function readGroup(context: AdminContext, graph: string, group: string): Promise<GroupGraph> {
  const get = (path: string) => {
    return requestInstance(context.address(group), { path, timeoutMs: TIMEOUT_MS });
  };
  const name = encodeURIComponent(graph);
  const query = JSON.stringify({
    ...{ condition: { virtual: false }, sortby: S_DEG | S_DESC },
    ...{ fields: F_ID | F_TYPE | F_DEG, result: R_DICT },
  });
  const path = `/svc/builtin/vertices?graph=${name}&hits=${SAMPLE}`;
  const [info, vertices] = await Promise.all([
    get(`/svc/builtin/graphinfo?graph=${name}`),
    get(`${path}&query=${encodeURIComponent(query)}`),
  ]);
  const sample = readSample(vertices);
  return { graph, group, ...readCounts(info), sample };
}

function readCounts(info: unknown): Pick<GroupGraph, "arcs" | "types"> {
  const { base, enum: names } = info as {
    readonly base: { readonly size: number };
    readonly enum: { readonly vertex_type: { readonly codec: Record<string, [number, number]> } };
  };
  const used = Object.entries(names.vertex_type.codec).filter(([, [, count]]) => count > 0);
  return {
    arcs: Number(base.size),
    types: Object.fromEntries(used.map(([type, [, count]]) => [type, Number(count)])),
  };
}

function readSample(response: unknown): SampledVertex[] {
  const list = Array.isArray(response) ? response.filter(isPlainObject) : [];
  return list.map(({ id, type, degree }) => {
    return { id: String(id), type: String(type), degree: Number(degree) };
  });
}

/** @param groupGraphs one graph in all groups */
function listWarnings(
  { groups, map, everywhere }: Slots,
  groupGraphs: readonly GroupGraph[],
): string[] {
  const owners = new SlotMap(map);
  const verticesById = new Map<string, { readonly type: string; readonly groups: string[] }>();
  const warnings: string[] = [];
  for (const { graph, group, arcs, sample } of groupGraphs) {
    const divided = sample.filter(({ type }) => !everywhere.includes(type));
    for (const { id, type, degree } of divided) {
      const vertex = verticesById.get(id) ?? { type, groups: [] };
      verticesById.set(id, vertex);
      vertex.groups.push(group);
      if (degree < HUB_ARCS || degree < HUB_SHARE * arcs) continue;
      const share = `${degree} of ${arcs} arcs`;
      warnings.push(`${graph}: hub: ${group}: "${id}" (${type}) has ${share}: ${ADVICE}`);
    }
    const foreign = divided.filter(({ id }) => groups[owners.ownerOfKey(id)] !== group).length;
    if (foreign === 0) continue;
    const portion = `${foreign} of ${divided.length} examined vertices`;
    warnings.push(`${graph}: ${group}: ${portion} belong to other groups`);
  }
  return [...warnings, ...listRepeated(groupGraphs[0]!.graph, verticesById.values())];
}

const ADVICE = "add its type to `everywhere` if queries start there";

/** Returns a line for each type with vertices in several groups. */
function listRepeated(
  graph: string,
  vertices: Iterable<{ readonly type: string; readonly groups: readonly string[] }>,
): string[] {
  const counts = new Map<string, number>();
  for (const { type, groups } of vertices) {
    if (groups.length > 1) counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  return [...counts].map(([type, count]) => {
    const description = `${count} vertices of type ${type} are in several groups`;
    return `${graph}: ${description}: add the type to \`everywhere\``;
  });
}
