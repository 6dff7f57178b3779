// Opens one or several vertices for a session, creating them on request. Each attempt is one
// mutation that takes all or none; between attempts the session waits.

import { checkTimeout } from "../../model/check-argument.js";
import { AccessError, KeyError, ValueError } from "../../model/errors.js";
import { withArgumentDetails } from "../../model/invalid-argument.js";
import type { GraphStore } from "../../store/graph-store.js";
import { type LockDeadline, lockDeadlineAfter } from "../../store/session-view.js";
import { promoteIfVirtual } from "../change-vertex.js";
import type { VertexKey } from "../vertex-key.js";
import { type CreateOptions, createVertex } from "../vertices.js";
import { LockWait } from "./deadlock-detection.js";
import type { SessionAccess } from "./graph-access.js";
import type { HeldVertex } from "./session.js";

/** Read-only; writable (append); writable, created if missing. */
export type AccessMode = "r" | "a" | "w";

export interface OpenRequest {
  readonly mode: AccessMode;
  /** Milliseconds to wait for the holders; 0: do not wait, negative: no limit. */
  readonly timeout: number;
  /** Applied to the vertex, new or existing. */
  readonly create?: CreateOptions;
}

const ONE_MODES: readonly AccessMode[] = ["r", "w", "a"];
const SEVERAL_MODES: readonly AccessMode[] = ["r", "a"];

/** The opened vertices, or a vertex that another session holds. */
type Attempt = { readonly holds: readonly HeldVertex[] } | { readonly lockedBy: number };

/** @throws KeyError, AccessError, VertexError, ValueError */
export function openVertex(
  access: SessionAccess,
  name: VertexKey,
  request: OpenRequest,
): HeldVertex {
  checkMode(request.mode, ONE_MODES);
  checkTimeout(request.timeout);
  return tryPlain(access, name, request) ?? openAll(access, [name], request)[0]!;
}

/**
 * @param names distinct vertices
 * @throws KeyError, AccessError, ValueError
 */
export function openVertices(
  access: SessionAccess,
  names: readonly VertexKey[],
  request: OpenRequest,
): readonly HeldVertex[] {
  checkMode(request.mode, SEVERAL_MODES);
  return openAll(access, names, request);
}

/** Non-blocking variant of `openVertex`; requests for the same vertex are served in order. */
export async function openVertexAsync(
  access: SessionAccess,
  name: VertexKey,
  request: OpenRequest,
): Promise<HeldVertex> {
  const { store } = access;
  checkMode(request.mode, ONE_MODES);
  const turns = getLockQueues(store);
  if (typeof name !== "string") findVertex(store, name);
  const id = typeof name === "string" ? name : store.ids.idOf(name);
  const turn = turns.join(id);
  try {
    const holds = await openAllAsync(access, [name], request, () => turns.isNext(turn));
    return holds[0]!;
  } finally {
    if (turns.leave(turn)) store.locks.wakeWaiting();
  }
}

/** Non-blocking variant of `openVertices`. */
export function openVerticesAsync(
  access: SessionAccess,
  names: readonly VertexKey[],
  request: OpenRequest,
): Promise<readonly HeldVertex[]> {
  checkMode(request.mode, SEVERAL_MODES);
  return openAllAsync(access, names, request, () => true);
}

/**
 * Fast path for the common case of an existing, unlocked vertex: `openAll` without arrays. Returns
 * null in all other cases.
 */
function tryPlain(
  { store, session }: SessionAccess,
  name: VertexKey,
  { mode, create }: OpenRequest,
): HeldVertex | null {
  const { writer, vertices } = store;
  const isWritable = mode !== "r";
  if (writer.isWriting || create !== undefined) return null;
  writer.begin();
  try {
    const vertex = findVertex(store, name);
    const isPlain = vertex !== 0 && (!isWritable || vertices.isReal(vertex));
    if (!isPlain || session.isBlocked(vertex, isWritable)) return null;
    const hold = session.take(vertex, isWritable);
    writer.commit();
    return session.accept(hold);
  } catch (error) {
    writer.rollback();
    throw error;
  } finally {
    writer.end();
  }
}

function openAll(
  access: SessionAccess,
  names: readonly VertexKey[],
  request: OpenRequest,
): readonly HeldVertex[] {
  const { session } = access;
  session.requireNoBatch();
  const giveUpAt = lockDeadlineAfter(request.timeout);
  for (;;) {
    const seen = session.releases();
    const attempt = tryAll(access, names, request);
    if ("holds" in attempt) return attempt.holds;
    session.awaitRelease(attempt.lockedBy, seen, giveUpAt);
  }
}

async function openAllAsync(
  access: SessionAccess,
  names: readonly VertexKey[],
  request: OpenRequest,
  isNext: () => boolean,
): Promise<readonly HeldVertex[]> {
  const { store, session } = access;
  session.requireNoBatch();
  const giveUpAt: LockDeadline = lockDeadlineAfter(request.timeout);
  const wait = new LockWait(store, session.id);
  try {
    for (;;) {
      const seen = session.releases();
      const ahead = isNext() ? 0 : findVertex(store, names[0]!);
      const attempt = ahead === 0 ? tryAll(access, names, request) : ({ lockedBy: ahead } as const);
      if ("holds" in attempt) return attempt.holds;
      if (giveUpAt !== 0) wait.begin(attempt.lockedBy);
      await session.awaitReleaseAsync(attempt.lockedBy, seen, giveUpAt);
    }
  } finally {
    wait.end();
  }
}

function tryAll(access: SessionAccess, names: readonly VertexKey[], request: OpenRequest): Attempt {
  const { store, session } = access;
  const attempt: Attempt = store.writer.mutate(() => {
    const isNew = createIfMissing(access, names, request);
    const vertices = names.map((name) => requireVertex(store, name, names.length));
    if (new Set(vertices).size < vertices.length) {
      throw new AccessError("Bad context (duplicate vertices in acquisition set)");
    }
    const isWritable = request.mode !== "r";
    const blocked = vertices.find((vertex) => session.isBlocked(vertex, isWritable));
    if (blocked !== undefined) return { lockedBy: blocked };
    const holds = vertices.map((vertex) => session.take(vertex, isWritable));
    // This session owns all of them now, so it does not wait.
    if (isWritable && !isNew) makeReal(access, vertices, request);
    return { holds };
  });
  if ("holds" in attempt) for (const hold of attempt.holds) session.accept(hold);
  return attempt;
}

/** Creates the vertex of mode `w` if it is missing. */
function createIfMissing(
  access: SessionAccess,
  [name]: readonly VertexKey[],
  { mode, create }: OpenRequest,
): boolean {
  const { store } = access;
  if (mode !== "w" || typeof name !== "string" || findVertex(store, name) !== 0) return false;
  createVertex(access, name, create);
  return true;
}

function makeReal(
  access: SessionAccess,
  vertices: readonly number[],
  { create }: OpenRequest,
): void {
  const { store } = access;
  for (const vertex of vertices) {
    if (create === undefined) promoteIfVirtual(store, vertex);
    else createVertex(access, vertex, create);
  }
}

/** @throws KeyError */
function requireVertex(store: GraphStore, name: VertexKey, count: number): number {
  const vertex = findVertex(store, name);
  if (vertex !== 0) return vertex;
  throw new KeyError(count === 1 ? `Object does not exist: '${name}'` : `No object : '${name}'`);
}

function findVertex(store: GraphStore, name: VertexKey): number {
  if (typeof name !== "number" && typeof name !== "string") {
    throw new TypeError("an id or an address is required");
  }
  if (typeof name === "string") return store.ids.resolve(name);
  return store.vertices.isUsed(name) ? name : 0;
}

function checkMode(mode: unknown, modes: readonly AccessMode[]): void {
  if (modes.includes(mode as AccessMode)) return;
  const texts = modes.map((allowed) => `'${allowed}'`).join(", ");
  const error = new ValueError(`Access mode must be one of ${texts}`);
  throw withArgumentDetails(error, mode, texts, ".mode");
}

interface Turn {
  readonly id: string;
}

/**
 * FIFO queues of the requests of this thread that wait for the same vertex; only the first one
 * competes with other threads.
 */
class LockQueues {
  readonly #waiting = new Map<string, Turn[]>();

  /** Joins the queue of a vertex. */
  join(id: string): Turn {
    const turn = { id };
    const line = this.#waiting.get(id);
    if (line === undefined) this.#waiting.set(id, [turn]);
    else line.push(turn);
    return turn;
  }

  isNext(turn: Turn): boolean {
    return this.#waiting.get(turn.id)?.[0] === turn;
  }

  /** Leaves the queue; true if others wait. */
  leave(turn: Turn): boolean {
    const rest = (this.#waiting.get(turn.id) ?? []).filter((other) => other !== turn);
    if (rest.length === 0) this.#waiting.delete(turn.id);
    else this.#waiting.set(turn.id, rest);
    return rest.length > 0;
  }
}

const queues = new WeakMap<GraphStore, LockQueues>();

/** Returns the queues of this thread for a graph. */
function getLockQueues(store: GraphStore): LockQueues {
  const known = queues.get(store);
  if (known !== undefined) return known;
  const newQueues = new LockQueues();
  queues.set(store, newQueues);
  return newQueues;
}
