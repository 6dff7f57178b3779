// First back end: compiles a typed tree to closures. It covers the whole language and defines its
// semantics. A node has up to three closures: its value, its number if it has a numeric type, its
// truth. Operands are skipped only if nothing in the node has a side effect.

import { vertexValue } from "./attributes.js";
import type { Context } from "./context.js";
import type { Call, NumberCall } from "./functions/row.js";
import { isMember, isWithin } from "./membership.js";
import { numberBinary, truthBinary, valueBinary } from "./operator-closures.js";
import { invert, negate } from "./operators.js";
import { probeCallNumber } from "./probed-calls.js";
import { isNumberType } from "./type-rules.js";
import type { CallNode, IfNode, TypedNode } from "./typed-tree.js";
import {
  asNumber,
  boxedReal,
  isCondition,
  isTrue,
  SetValue,
  toComparable,
  type Value,
} from "./values.js";

export type ValueOf = (x: Context) => Value;
export type NumberOf = (x: Context) => number;
export type TruthOf = (x: Context) => boolean;

/** Returns a closure for the value of a node; a real is distinguished from an int. */
export function readValue(node: TypedNode): ValueOf {
  switch (node.op) {
    case "literal": {
      const { index } = node;
      if (node.type !== "real") return (x) => x.literals[index]!;
      return (x) => boxedReal(x.literals[index] as number);
    }
    case "constant": {
      const value = node.type === "real" ? boxedReal(node.value as number) : node.value;
      return () => value;
    }
    case "code": {
      const { position } = node;
      return (x) => x.codes[position]!;
    }
    case "variable": {
      const { slot } = node;
      return (x) => x.variables[slot]!;
    }
    case "vertex": {
      const { of } = node;
      return (x) => vertexValue(x[of]);
    }
    case "vertexAttribute": {
      const { of, attribute } = node;
      return (x) => (x[of].handle === 0 ? null : attribute.of(x.store, x[of].handle));
    }
    case "arcAttribute": {
      const { attribute } = node;
      if (node.of === "next") return (x) => attribute.of(x.arc);
      return (x) => attribute.of(x.prevArc);
    }
    case "other":
      return node.attribute.read;
    case "property": {
      const { of, position } = node;
      return (x) => x[of].property(position);
    }
    default:
      return compositeValue(node);
  }
}

type Composite = Exclude<
  TypedNode,
  {
    readonly op:
      | "literal"
      | "constant"
      | "code"
      | "variable"
      | "vertex"
      | "vertexAttribute"
      | "arcAttribute"
      | "other"
      | "property";
  }
>;

function compositeValue(node: Composite): ValueOf {
  switch (node.op) {
    case "default":
      return defaultValue(node);
    case "has":
    case "in": {
      const test = readTruth(node);
      return (x) => (test(x) ? 1 : 0);
    }
    case "unary":
      return unaryValue(node.operator, node.of);
    case "binary": {
      if (node.type === "int" && isComparison(node.operator)) {
        const test = readTruth(node);
        return (x) => (test(x) ? 1 : 0);
      }
      return valueBinary(node, readValue, node.hasEffect);
    }
    case "if":
      return ifValue(node);
    case "set": {
      const items = node.items.map(readValue);
      return (x) => new SetValue(items.map((item) => item(x)));
    }
    case "range":
      return () => null;
    case "group": {
      const items = node.items.map(readValue);
      return (x) => {
        const first = items[0]!(x);
        for (let at = 1; at < items.length; at++) items[at]!(x);
        return first;
      };
    }
    case "call":
      return callValue(node);
  }
}

function isComparison(operator: string): boolean {
  return /^([=!]=|[<>]=?)$/.test(operator);
}

function defaultValue(node: Extract<TypedNode, { op: "default" }>): ValueOf {
  const { of, position } = node.property;
  const fallback = readValue(node.fallback);
  const condition = node.condition === null ? null : readValue(node.condition);
  return (x) => {
    const otherwise = fallback(x);
    if (condition !== null && !isCondition(condition(x))) return otherwise;
    const found = x[of].find(position);
    return found === undefined ? otherwise : found;
  };
}

function unaryValue(operator: string, of: TypedNode): ValueOf {
  const value = readValue(of);
  if (operator === "-") return (x) => negate(value(x));
  if (operator === "~") return (x) => invert(value(x));
  if (operator === "+") return value;
  const truth = readTruth(of);
  return (x) => (truth(x) ? 0 : 1);
}

function ifValue(node: IfNode): ValueOf {
  const condition = readTruth(node.condition);
  const [yes, no] = [readValue(node.yes), readValue(node.no)];
  if (!node.hasEffect) return (x) => (condition(x) ? yes(x) : no(x));
  return (x) => {
    const isYes = condition(x);
    const [first, second] = [yes(x), no(x)];
    return isYes ? first : second;
  };
}

function callValue(node: CallNode): ValueOf {
  const { row, args } = node;
  const probed = probeCallNumber(node);
  if (probed !== null) return (x) => boxedReal(probed(x));
  const values = args.map(readValue);
  const { many, call } = row;
  if (many !== null)
    return (x) =>
      many(
        x,
        values.map((value) => value(x)),
      );
  return fixedCall(call!, values);
}

function fixedCall(call: Call, values: readonly ValueOf[]): ValueOf {
  const [a, b, c] = values;
  const none = undefined;
  if (a === undefined) return (x) => call(x, none, none, none, none, none);
  if (b === undefined) return (x) => call(x, a(x), none, none, none, none);
  if (c === undefined) return (x) => call(x, a(x), b(x), none, none, none);
  if (values.length === 3) return (x) => call(x, a(x), b(x), c(x), none, none);
  return (x) => {
    const args = values.map((value) => value(x));
    return call(x, args[0], args[1], args[2], args[3], args[4]);
  };
}

/** Returns a closure for the number of a node, NaN if it has none. */
export function readNumber(node: TypedNode): NumberOf {
  switch (node.op) {
    case "literal": {
      const { index } = node;
      if (node.type === "text") return () => Number.NaN;
      return (x) => x.literals[index] as number;
    }
    case "constant": {
      const number = asNumber(node.value);
      return () => number;
    }
    case "arcAttribute":
      if (node.attribute.name !== "value") break;
      return node.of === "next" ? (x) => x.arc.number : (x) => x.prevArc.number;
    case "property": {
      const { of, position } = node;
      return (x) => x[of].numberAt(position);
    }
    case "unary":
      if (node.operator === "-" && (node.of.type === "int" || node.of.type === "real")) {
        return negateNumber(node.of);
      }
      break;
    case "binary": {
      const compiled = numberBinary(node, readNumber, node.hasEffect);
      if (compiled !== null) return compiled;
      break;
    }
    case "if":
      if (isNumberType(node.type) && !node.hasEffect) {
        const condition = readTruth(node.condition);
        const [yes, no] = [readNumber(node.yes), readNumber(node.no)];
        return (x) => (condition(x) ? yes(x) : no(x));
      }
      break;
    case "call": {
      const probed = probeCallNumber(node);
      if (probed !== null) return probed;
      if (node.row.number !== null && node.args.every(({ type }) => isNumberType(type))) {
        return numberCall(node.row.number, node.args.map(readNumber));
      }
      break;
    }
  }
  const value = readValue(node);
  return (x) => asNumber(value(x));
}

function negateNumber(of: TypedNode): NumberOf {
  const number = readNumber(of);
  return of.type === "int" ? (x) => 0 - number(x) : (x) => -number(x);
}

function numberCall(call: NumberCall, numbers: readonly NumberOf[]): NumberOf {
  const [a, b, c, d] = numbers;
  if (b === undefined) return (x) => call(a!(x), 0, 0, 0);
  if (c === undefined) return (x) => call(a!(x), b(x), 0, 0);
  if (d === undefined) return (x) => call(a!(x), b(x), c(x), 0);
  return (x) => call(a!(x), b(x), c(x), d(x));
}

/** Returns a closure for the truth of a node, as in `&&` and `?:`. */
export function readTruth(node: TypedNode): TruthOf {
  switch (node.op) {
    case "has": {
      const { of, position } = node.property;
      const { isNegated } = node;
      return (x) => (x[of].find(position) !== undefined) !== isNegated;
    }
    case "in": {
      const { isNegated } = node;
      const test = memberTest(node);
      return (x) => test(x) !== isNegated;
    }
    case "unary":
      if (node.operator === "!") {
        const truth = readTruth(node.of);
        return (x) => !truth(x);
      }
      break;
    case "binary": {
      const compiled = truthBinary(node, { readValue, readNumber, readTruth }, node.hasEffect);
      if (compiled !== null) return compiled;
      break;
    }
  }
  if (isNumberType(node.type)) {
    const number = readNumber(node);
    return (x) => number(x) !== 0;
  }
  const value = readValue(node);
  return (x) => isTrue(value(x));
}

/** As `readNumber`, with all digits of an int. */
function readComparable(node: TypedNode): (x: Context) => number | bigint {
  if (isNumberType(node.type)) return readNumber(node);
  const value = readValue(node);
  return (x) => toComparable(value(x));
}

function memberTest({ left, right }: Extract<TypedNode, { op: "in" }>): TruthOf {
  const value = readValue(left);
  if (right.op === "range") {
    const [low, high] = [readComparable(right.low), readComparable(right.high)];
    return (x) => isWithin(value(x), low(x), high(x));
  }
  const members = readValue(right);
  return (x) => {
    const item = value(x);
    return isMember(item, members(x));
  };
}
