// Only the leader of a group executes requests that may change graphs. Other members refuse them
// before anything runs, and name the leader.

import type { ServerView } from "../builtin/server-view.js";
import type { CommitClock } from "../graph/manager/logging-entry-points.js";
import type { HttpRejection } from "../http/rejections.js";
import { RETRY_AFTER } from "../http/rejections.js";
import type { Exchange } from "../http/transport.js";
import type { Resource } from "./route-table.js";

const READS: readonly string[] = ["GET", "HEAD"];
const MISDIRECTED = 421;

type Rejection = Pick<HttpRejection, "status" | "message" | "fields">;

const LEADER_CHANGES: Rejection = {
  status: 503,
  message: "503 Service Unavailable: the leader of the group changes",
  fields: RETRY_AFTER,
};
/** Not 503: a dispatcher would mark the leader as down, and reads would fail as well. */
const TOO_FEW_MEMBERS: Rejection = {
  status: 507,
  message: "507 Insufficient Storage: too few members of the group respond to store changes",
  fields: "",
};

export class LeaderRequests {
  readonly #clock: CommitClock;
  readonly #view: Pick<ServerView, "traffic">;

  constructor(clock: CommitClock, view: Pick<ServerView, "traffic">) {
    this.#clock = clock;
    this.#view = view;
  }

  /** Returns whether a request counts as a change; always false outside of a group. */
  isChange(exchange: Exchange, resource: Resource): boolean {
    return this.#clock.isInGroup && mayChange(exchange, resource);
  }

  /** Returns the rejection of a change; null: this instance executes it. */
  refusal(): Rejection | null {
    const { role } = this.#clock.group;
    if (role === "leading" || role === "none") return null;
    if (role === "readonly") return TOO_FEW_MEMBERS;
    if (role === "refusing") return LEADER_CHANGES;
    const leader = this.#view.traffic().group?.leader ?? null;
    const message = `421 Misdirected Request: ${leader ?? "no instance"} leads the group`;
    const fields = leader === null ? RETRY_AFTER : `X-SVC-Leader-Id: ${leader}\r\n`;
    return { status: MISDIRECTED, message, fields };
  }

  /** Returns the rejection of a change that arrived while another instance took over. */
  lateRefusal(): Rejection {
    return this.refusal() ?? LEADER_CHANGES;
  }
}

/** Returns whether a request may change graphs. */
export function mayChange({ method }: Exchange, resource: Resource): boolean {
  if ("use" in resource) return resource.use === "change";
  return resource.kind === "plugin" && !READS.includes(method) && !resource.route.isReadonly;
}
