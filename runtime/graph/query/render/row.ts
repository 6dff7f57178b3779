// The hit being rendered. One object serves all rows of a result; fields and selected items read it
// and must not keep it.

import { ArcFlag, FLOAT_MODIFIER, MODIFIERS, valueFromBits } from "../../model/modifiers.js";
import type { HitView } from "../../store/attributes/attribute.js";
import { SYNTHETIC, SYNTHETIC_NAME } from "../../store/code-ranges.js";
import type { GraphStore } from "../../store/graph-store.js";
import type { TextScores } from "../../texts/text-scores.js";
import type { Probe } from "../../vectors/probe.js";
import type { HitBuffer } from "../hits/hit-buffer.js";
import type { HitOrder } from "../hits/hit-order.js";
import { HitSide, type HitSideNumber } from "../hits/hit-sink.js";

const DIRECTION_NAMES = ["D_OUT", "D_IN", "D_BOTH", "D_ANY"] as const;

export class Row implements HitView {
  readonly store: GraphStore;
  /** Anchor; 0 in searches of the whole graph. */
  readonly root: number;
  readonly #order: HitOrder | null;
  readonly probe: Probe | null;
  level = 0;
  tail = 0;
  head = 0;
  word1 = 0;
  side: HitSideNumber = HitSide.Out;
  bits = 0;
  #key = 0;

  readonly #texts: TextScores | null;

  constructor(
    store: GraphStore,
    root: number,
    order: HitOrder | null,
    probe: Probe | null,
    texts: TextScores | null = null,
  ) {
    this.#texts = texts;
    this.probe = probe;
    this.store = store;
    this.root = root;
    this.#order = order;
  }

  load(hits: HitBuffer, slot: number): void {
    this.level = hits.levelOf(slot);
    this.side = hits.sideOf(slot);
    this.tail = hits.tailOf(slot);
    this.head = hits.headOf(slot);
    this.word1 = hits.word1Of(slot);
    this.bits = hits.valueOf(slot);
    if (this.#order !== null) this.#key = hits.keys[slot]!;
  }

  get direction(): string {
    return DIRECTION_NAMES[this.side]!;
  }

  get relationship(): string {
    const code = this.word1 >>> 16;
    return code === SYNTHETIC ? SYNTHETIC_NAME : this.store.relationships.nameOf(code);
  }

  get modifier(): string {
    const name = MODIFIERS[this.#modifierCode]?.name ?? "M_ANY";
    return (this.word1 & ArcFlag.ForwardOnly) === 0 ? name : `${name}|M_FWDONLY`;
  }

  /** 1 for M_STAT. */
  get value(): number {
    const kind = MODIFIERS[this.#modifierCode]?.kind;
    return kind === undefined ? 0 : valueFromBits(kind, this.bits);
  }

  get hasFloatValue(): boolean {
    return (this.#modifierCode & FLOAT_MODIFIER) !== 0;
  }

  /** False for M_STAT, whose value is displayed but not stored. */
  get hasValue(): boolean {
    return MODIFIERS[this.#modifierCode]?.kind !== "unit";
  }

  get score(): number {
    return this.#order === null ? 0 : this.#order.scoreOf(this.#key);
  }

  get textScore(): number {
    return this.#texts?.of(this.head) ?? 0;
  }

  get #modifierCode(): number {
    return (this.word1 >>> 8) & 0x1f;
  }
}
