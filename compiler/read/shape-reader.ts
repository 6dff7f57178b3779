// Converts types of the checker to TypeShapes, which describe the JSON form. Named types become
// refs; one map, shared by all files of a project, contains their shapes.
//
//   shape-reader  names, recursion, unions
//   scalar-shape  types without parts
//   object-shape  arrays, tuples, objects
//   named-type    which types get a name of their own

import { ts } from "ts-morph";
import type { TypeShape } from "../record/type-shape.js";
import { getDescription, isDeprecated } from "./doc-comment.js";
import { limitTagsOfSymbol } from "./limit-tags.js";
import { collectRead, readSoFar, recordReadLocations } from "./limit-usage.js";
import { withCarriedLimits, withLimits, withStatedLimit } from "./limited-shape.js";
import { findMappedValue, readMappedMethods } from "./mapped-scalar.js";
import { type NamedShape, nameType, type TypeName } from "./named-type.js";
import { readObjectShape } from "./object-shape.js";
import type { ReadContext } from "./read-context.js";
import {
  type Direction,
  type Problem,
  plain,
  type TypeReader,
  type TypeReading,
  unsupported,
  withoutUndefined,
} from "./reading.js";
import { isImpossible, readScalar } from "./scalar-shape.js";
import { OUTPUT } from "./type-directions.js";
import { readTypeLimits, type TypeLimits } from "./type-limits.js";
import { readUnionShape } from "./union-shape.js";

/** Maximum nesting depth; deeper types are considered infinite. */
const MAX_DEPTH = 48;
/**
 * Maximum nesting of a generic type within its own instantiations, such as
 * `A<T> = { next: A<T[]> }`.
 */
const MAX_WITHIN_ITSELF = 8;

export class ShapeReader implements TypeReader {
  readonly #readings = new Map<ts.Type, TypeReading>();
  /** Places of the limits in a type and its parts; types without limits are missing. */
  readonly #reads = new Map<ts.Type, readonly string[]>();
  /** Types read so far as parts of the outermost type. */
  #parts: ts.Type[] = [];
  /** Types being read, with the names that recursive references use. */
  readonly #open = new Map<ts.Type, TypeName | null>();
  /** Types that are read again within themselves: how many were open then. */
  readonly #readAgainAt = new Map<ts.Type, number>();
  /** Generic types found to be infinite, which are not read again. */
  readonly #endless = new Set<ts.Symbol>();

  constructor(
    readonly context: ReadContext,
    readonly direction: Direction,
    readonly named: Map<string, NamedShape>,
  ) {}

  read(type: ts.Type): TypeReading {
    const known = this.#readings.get(type);
    if (known) {
      recordReadLocations(this.#reads.get(type) ?? []);
      return known;
    }
    const isOutermost = this.#open.size === 0;
    const [reading, reads] = collectRead(() => this.#readMapped(type) ?? this.#readType(type));
    this.#readings.set(type, reading);
    if (reads.length > 0) this.#reads.set(type, reads);
    if (isOutermost) this.#forgetParts(reading);
    else this.#parts.push(type);
    return reading;
  }

  /**
   * Forgets the readings of parts if there are problems: a part that refers to an enclosing type
   * lacks the problems of that type, although its shape is complete.
   */
  #forgetParts({ problems }: TypeReading): void {
    if (problems.length > 0) for (const part of this.#parts) this.#readings.delete(part);
    this.#parts = [];
  }

  /** Reads a type in which `undefined` means absence, as in optional properties. */
  readPresent(type: ts.Type): TypeReading {
    return this.read(withoutUndefined(this.context.checker, type));
  }

  #readMapped(type: ts.Type): TypeReading | null {
    const mapped = findMappedValue(this.context, type);
    return mapped ? this.read(mapped) : readMappedMethods(type);
  }

  #readType(type: ts.Type): TypeReading {
    const limits = readTypeLimits(this.context, type);
    return limits === null ? this.#readUnlimited(type) : this.#readLimited(type, limits);
  }

  #readUnlimited(type: ts.Type): TypeReading {
    return readScalar(this.context, type, this.direction) ?? this.#readComposite(type);
  }

  #readLimited(type: ts.Type, { rest, tags, stated }: TypeLimits): TypeReading {
    const reading = rest.length === 1 ? this.read(rest[0]!) : this.#readUnlimited(type);
    let shape = withCarriedLimits(this, reading.shape, tags);
    const problems = [...reading.problems];
    for (const limit of stated) {
      const limited = withStatedLimit(this.named, shape, limit);
      if (typeof limited === "string") problems.push({ path: "", reason: limited, help: "" });
      else shape = limited;
    }
    return { shape, problems };
  }

  #readComposite(type: ts.Type): TypeReading {
    const replacement = this.direction === "output" && this.#replacedByToJson(type);
    if (replacement) return this.read(replacement);
    const name = this.#nameType(type, "declared");
    if (this.#open.has(type)) return this.#refToOpen(type, name);
    if (this.#isEndless(type)) return unsupported("an infinitely nested type");
    this.#open.set(type, name);
    const reading = this.#readStructure(type);
    const used = this.#open.get(type) ?? null;
    this.#open.delete(type);
    if (!used) return reading;
    const symbol = type.aliasSymbol ?? type.getSymbol();
    const description = symbol ? getDescription(this.context, symbol) : "";
    const deprecated = symbol !== undefined && isDeprecated(symbol);
    const tags = symbol ? limitTagsOfSymbol(this.context, symbol) : [];
    const shape = withLimits(this, reading.shape, tags);
    this.named.set(used.key, { ...used, shape, description, deprecated, reads: readSoFar() });
    return { shape: { kind: "ref", name: used.key }, problems: reading.problems };
  }

  /** Returns the type `JSON.stringify` writes for an object with a `toJSON` method, e.g. a Date. */
  #replacedByToJson(type: ts.Type): ts.Type | undefined {
    if (!(type.flags & ts.TypeFlags.Object)) return undefined;
    const { checker } = this.context;
    const method = type.getProperty("toJSON");
    const signature = method && checker.getTypeOfSymbol(method).getCallSignatures()[0];
    const result = signature && checker.getReturnTypeOfSignature(signature);
    return result === type ? undefined : result;
  }

  /** Names a type by direction, because its JSON form may differ; see `joinDirections`. */
  #nameType(type: ts.Type, use: "declared" | "anonymous"): TypeName | null {
    const name = nameType(this.context, type, use);
    if (name === null || this.direction === "input") return name;
    return { ...name, key: name.key + OUTPUT };
  }

  /** Returns a recursive reference. An anonymous type needs a name only now. */
  #refToOpen(type: ts.Type, name: TypeName | null): TypeReading {
    const used = name ?? this.#open.get(type) ?? this.#nameType(type, "anonymous");
    this.#open.set(type, used);
    if (used) return plain({ kind: "ref", name: used.key });
    return this.#readAgain(type);
  }

  /**
   * Reads a tuple or union, which has no name, again within itself. That ends if a named type lies
   * between, which is then only referred to.
   */
  #readAgain(type: ts.Type): TypeReading {
    const open = [...this.#open];
    const position = open.findIndex(([outer]) => outer === type) + 1;
    const start = this.#readAgainAt.get(type) ?? position;
    if (!open.slice(start).some(([, name]) => name !== null)) {
      return unsupported("a type within itself");
    }
    this.#readAgainAt.set(type, open.length);
    const reading = this.#readStructure(type);
    this.#readAgainAt.delete(type);
    return reading;
  }

  #isEndless(type: ts.Type): boolean {
    if (this.#open.size >= MAX_DEPTH) return true;
    const symbol = genericSymbol(this.context, type);
    if (!symbol) return false;
    const within = [...this.#open.keys()].filter(
      (open) => genericSymbol(this.context, open) === symbol,
    );
    if (within.length >= MAX_WITHIN_ITSELF) this.#endless.add(symbol);
    return this.#endless.has(symbol);
  }

  #readStructure(type: ts.Type): TypeReading {
    if (type.isUnion()) return this.#readUnion(type.types);
    if (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) {
      return readObjectShape(this, type);
    }
    const constraint = this.context.checker.getBaseConstraintOfType(type);
    if (constraint && constraint !== type) return this.read(constraint);
    return unsupported(`\`${this.context.checker.typeToString(type)}\``);
  }

  #readUnion(types: readonly ts.Type[]): TypeReading {
    const members: TypeShape[] = [];
    const problems: Problem[] = [];
    const possible = types.filter((type) => !isImpossible(this.context.checker, type));
    if (possible.length === 0) return plain({ kind: "null" });
    for (const type of possible) {
      const reading = this.read(type);
      members.push(reading.shape);
      problems.push(...reading.problems);
    }
    return { shape: readUnionShape(members), problems };
  }
}

/** Returns the symbol that instantiations of a generic type share; undefined for arrays. */
function genericSymbol({ checker }: ReadContext, type: ts.Type): ts.Symbol | undefined {
  if (type.aliasTypeArguments) return type.aliasSymbol;
  if (checker.isArrayType(type) || checker.isTupleType(type)) return undefined;
  return (type as Partial<ts.TypeReference>).target ? type.getSymbol() : undefined;
}
