// Removes changes of a former leader that were never acknowledged and that the next leader lacks.
// At the next start, it moves the contents of the data folder aside. The instance then rewinds to
// the transaction at which the next leader took over, or copies all graphs of that leader.

import { existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fsyncDirectory, mkdirDurable } from "../../base/durable-files.js";
import { LOG_FOLDER } from "../../base/graph-names.js";
import { readStateOrNull, writeState } from "../../base/state-file.js";
import { isRootLocked, listStoredGraphs } from "../../graph/manager/data-folder.js";
import { DATA_FILES } from "../lineage.js";
import { type Ancestor, isAncestor } from "../wire/positions.js";
import { MEMBER_FILE, renewMember } from "./member-file.js";
import { rewind } from "./rewind.js";

const MARKER = "_ahead.json";
/** Hidden folders never contain graphs. */
const LOST_FOLDER = ".lost";
const KEPT = 3;
const COPIED = "the leader sends its graphs";

interface Request {
  readonly reason?: string;
  /** Name of the folder that receives the contents. */
  readonly name?: string;
  /** Transaction at which the next leader took over; missing: not known. */
  readonly end?: Ancestor;
  /** True once all contents are in that folder. */
  readonly isMoved?: boolean;
}

/** Requests that the next start sets the contents of a data folder aside. */
export function requestSetAside(root: string, reason: string, end: Ancestor | null): void {
  const request: Request = { reason, name: nameNow(), ...(end !== null && { end }) };
  writeState(join(root, MARKER), request);
}

export interface SetAside {
  /** Folder with the former contents. */
  readonly folder: string;
  /** Line for the log. */
  readonly line: string;
}

/**
 * Sets the contents aside if that was requested, before anything else uses the data folder. After
 * an interruption, the next start continues, because the marker is removed last.
 * @returns null if nothing was requested
 */
export function setAside(root: string): SetAside | null {
  const marker = join(root, MARKER);
  if (!existsSync(marker) || isRootLocked(root)) return null;
  const request: Request = readStateOrNull(marker) ?? {};
  const { name = nameNow(), end } = request;
  const lost = join(root, LOST_FOLDER);
  const folder = join(lost, name);
  if (request.isMoved !== true) {
    moveContents(root, folder);
    writeState(marker, { ...request, name, isMoved: true });
  }
  renewMember(folder, root);
  const rest = isAncestor(end) ? rewindOrEmpty(folder, root, end) : COPIED;
  rmSync(marker);
  fsyncDirectory(root);
  const old = readdirSync(lost).sort().slice(0, -KEPT);
  for (const entry of old) rmSync(join(lost, entry), { recursive: true, force: true });
  return { folder, line: `leadership: changes that the leader lacks are in ${folder}; ${rest}` };
}

function nameNow(): string {
  return new Date(Date.now()).toISOString().replaceAll(":", "");
}

function moveContents(root: string, folder: string): void {
  mkdirDurable(folder);
  for (const entry of [...contents(root), MEMBER_FILE]) {
    if (existsSync(join(root, entry))) renameSync(join(root, entry), join(folder, entry));
  }
  fsyncDirectory(folder);
}

/**
 * Rewinds the data folder, or leaves it empty. Its new incarnation prevents that the member leads
 * before it has followed.
 * @returns the outcome, for the log
 */
function rewindOrEmpty(folder: string, root: string, end: Ancestor): string {
  empty(root, folder);
  let reason = "its snapshots and log do not lead to where that one took over";
  try {
    if (rewind(folder, root, end)) return `rewound to transaction ${end.sn}`;
  } catch (error) {
    // For example corrupt files, or a full disk.
    reason = (error as Error).message;
  }
  empty(root, folder);
  return `${COPIED}: ${reason}`;
}

/** Removes what `rewind` has created. The names come from `former`, as `root` may be incomplete. */
function empty(root: string, former: string): void {
  for (const entry of contents(former)) rmSync(join(root, entry), { recursive: true, force: true });
}

/** Returns the names in a data folder, except that of the member file. */
function contents(root: string): Set<string> {
  const graphs = listStoredGraphs(root).map(({ path }) => path.split("/", 1)[0]!);
  return new Set([...graphs, LOG_FOLDER, ...DATA_FILES]);
}
