// Filter of a change feed, prepared so that a refused record is skipped without decoding its texts.

import { checkObject, checkOptions } from "../model/check-argument.js";
import { ValueError } from "../model/errors.js";
import { withArgumentDetails } from "../model/invalid-argument.js";
import { OperationCode, type OperationCodeNumber } from "../store/operation.js";
import { CHANGE_KINDS, type ChangeFilter, type ChangeKind } from "./graph-change.js";

const KIND_OF_RECORD = new Map<OperationCodeNumber, ChangeKind>([
  [OperationCode.CreateVertex, "vertexCreated"],
  [OperationCode.DeleteVertex, "vertexDeleted"],
  [OperationCode.SetType, "typeSet"],
  [OperationCode.SetProperty, "propertySet"],
  [OperationCode.RemoveProperty, "propertyRemoved"],
  [OperationCode.RemoveProperties, "propertyRemoved"],
  [OperationCode.SetVector, "vectorSet"],
  [OperationCode.RemoveVector, "vectorRemoved"],
  [OperationCode.Connect, "arcSet"],
  [OperationCode.Disconnect, "arcRemoved"],
  [OperationCode.Truncate, "truncated"],
]);
const CODES = 0x100;
const MEMBERS = new Set(["kinds", "types", "properties"]);

export class PreparedFilter {
  /** By code of a record: 1 if its kind is wanted. */
  readonly wanted = new Uint8Array(CODES);
  /** Null: all. */
  readonly types: ReadonlySet<string> | null;
  readonly properties: ReadonlySet<string> | null;

  /** @throws TypeError, ValueError */
  constructor(filter: ChangeFilter) {
    checkObject(filter, "filter");
    checkOptions(filter, MEMBERS);
    const kinds = parseNames(filter.kinds, "kinds");
    for (const kind of kinds ?? []) requireKind(kind);
    for (const [code, kind] of KIND_OF_RECORD) {
      this.wanted[code] = kinds === null || kinds.has(kind) ? 1 : 0;
    }
    this.types = parseNames(filter.types, "types");
    this.properties = parseNames(filter.properties, "properties");
  }
}

/** @throws TypeError */
function parseNames(names: unknown, member: string): ReadonlySet<string> | null {
  if (names === undefined) return null;
  const isList = Array.isArray(names) && names.every((name) => typeof name === "string");
  if (isList) return new Set(names as string[]);
  throw withArgumentDetails(
    new TypeError(`${member} must be a list of names`),
    names,
    "a list of strings",
    `.filter.${member}`,
  );
}

/** @throws ValueError */
function requireKind(kind: string): void {
  if ((CHANGE_KINDS as readonly string[]).includes(kind)) return;
  const fits = CHANGE_KINDS.join(", ");
  const error = new ValueError(`unknown kind of change: '${kind}'; expected ${fits}`);
  throw withArgumentDetails(error, kind, fits, ".filter.kinds");
}
