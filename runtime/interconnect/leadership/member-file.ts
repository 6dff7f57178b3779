// File of a data folder that stores its incarnation and the highest epoch of its group.

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { SvcError } from "../../base/errors.js";
import { readStateOrNull, writeState } from "../../base/state-file.js";
import { type Incarnation, isIncarnation } from "./leadership.js";

export const MEMBER_FILE = "_member.json";
const INCARNATION_BYTES = 16;

interface Content {
  readonly incarnation: string;
  /** 0: the group has never had a leader. */
  readonly epoch: number;
}

/**
 * Writes the file of a data folder that replaces another one: a new incarnation, with the epoch of
 * the former one, because the member already belongs to the group.
 */
export function renewMember(former: string, root: string): void {
  const { epoch } = Object(readStateOrNull(join(former, MEMBER_FILE))) as Partial<Content>;
  if (isEpoch(epoch)) writeState(join(root, MEMBER_FILE), { incarnation: newIncarnation(), epoch });
}

export class MemberFile {
  readonly #file: string;
  readonly #id: string;
  #content: Content;

  /** Reads the file, or creates it. @throws SvcError SVC3400 if it is invalid, SVC2506 */
  constructor(root: string, id: string) {
    this.#file = join(root, MEMBER_FILE);
    this.#id = id;
    this.#content = this.#read() ?? {
      incarnation: newIncarnation(),
      epoch: 0,
    };
    this.#write();
  }

  get incarnation(): Incarnation {
    return [this.#id, this.#content.incarnation];
  }

  get epoch(): number {
    return this.#content.epoch;
  }

  /** Stores the epoch of a leader of the group, if it is higher. */
  recordEpoch(epoch: number): void {
    if (epoch <= this.#content.epoch) return;
    this.#content = { ...this.#content, epoch };
    this.#write();
  }

  #write(): void {
    writeState(this.#file, this.#content);
  }

  #read(): Content | null {
    const stored = readStateOrNull(this.#file);
    if (stored === undefined) return null;
    const { incarnation, epoch } = (stored ?? {}) as unknown as Content;
    if (isEpoch(epoch) && isIncarnation([this.#id, incarnation])) return { incarnation, epoch };
    // A new incarnation would hide that data may be missing, so the operator must start afresh.
    const text = `leadership: ${this.#file} is invalid: start this instance with an empty root`;
    throw new SvcError("SVC3400", text);
  }
}

function newIncarnation(): string {
  return randomBytes(INCARNATION_BYTES).toString("hex");
}

function isEpoch(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
