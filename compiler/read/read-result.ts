// Reads what a plugin returns: unwraps the promise and distinguishes PluginResponse, PluginRequest
// and plain values.

import { ts } from "ts-morph";
import type { ResultRecord } from "../record/plugin-record.js";
import type { TypeShape } from "../record/type-shape.js";
import { checkCursor } from "./check-cursor.js";
import { isPackageSymbol } from "./package-symbols.js";
import type { PluginDeclaration } from "./plugin-declaration.js";
import type { ReadContext } from "./read-context.js";
import { readMediaTypes } from "./read-media-types.js";
import { firstProblems, pathText, type TypeReading } from "./reading.js";
import type { ShapeReader } from "./shape-reader.js";
import { withRawBytes } from "./text-class.js";
import { readUnionShape } from "./union-shape.js";
import { memberWires } from "./wire.js";

export interface ResultReading {
  readonly result: ResultRecord;
  readonly async: boolean;
}

export function readResult(reader: ShapeReader, plugin: PluginDeclaration): ResultReading {
  const { checker } = reader.context;
  const { fn } = plugin;
  const { resolved } = plugin;
  const signature = resolved?.signature ?? checker.getSignatureFromDeclaration(fn)!;
  const returned = checker.getReturnTypeOfSignature(signature);
  const awaited = checker.getAwaitedType(returned) ?? returned;
  const parts = awaited.isUnion() ? awaited.types : [awaited];
  const responses = parts.filter((part) => isPackageSymbol(part.getSymbol(), "PluginResponse"));
  const requests = parts.filter((part) => isPackageSymbol(part.getSymbol(), "PluginRequest"));
  const typeNode = resolved === undefined ? fn.type : undefined;
  const where = typeNode ?? plugin.nameNode;
  if (requests.length > 0 && plugin.role === "engine") {
    const message = `engine \`${plugin.name}\` returns a PluginRequest; only dispatchers can`;
    reader.context.error("SVC1045", where, message, "`plugin.pre(...)`, or return the result");
  }
  const entries = responses.map((response) => readEntry(reader, plugin, where, response));
  const typeText = typeNode ? typeNode.getText() : checker.typeToString(returned);
  const result = (kind: ResultRecord["kind"], shape: TypeShape | null): ResultReading => ({
    async: awaited !== returned || (resolved === undefined && isAsync(fn)),
    result: { kind, shape, typeText: typeText.replace(/\s+/g, " ") },
  });
  const raw = parts.filter((part) => isPackageSymbol(part.getSymbol(), "HttpResponse"));
  const mediaTypes = readMediaTypes(reader.context, plugin, where, raw);
  if (entries.length === parts.length) {
    return result("response", entries.length === 1 ? entries[0]! : { kind: "json" });
  }
  if (requests.length === parts.length) return result("request", { kind: "null" });
  const streams = parts.flatMap((part) => streamItemType(part) ?? []);
  if (streams.length === 1 && parts.length === 1) {
    const item = reader.read(streams[0]!);
    reportProblems(reader.context, plugin, where, item);
    return result("stream", item.shape);
  }
  const streaming = parts.filter((part) => streamItemType(part) !== null);
  for (const type of streams) reportProblems(reader.context, plugin, where, reader.read(type));
  const others = [...responses, ...requests, ...raw, ...streaming];
  const values = parts.filter((part) => !others.includes(part));
  if (values.length === parts.length) {
    const reading = reader.read(awaited);
    reportProblems(reader.context, plugin, where, reading);
    const value = result("value", reading.shape);
    if (!isPackageSymbol(awaited.getSymbol(), "Page")) return value;
    checkCursor(reader, plugin, where, awaited);
    return { ...value, result: { ...value.result, isPage: true } };
  }
  const readings = values.map((type) => reader.read(type));
  for (const reading of readings) reportProblems(reader.context, plugin, where, reading);
  if (raw.length === 0 || values.length + raw.length < parts.length) {
    return result("union", { kind: "json" });
  }
  const shapes = readings.map(({ shape }) => shape);
  const { async, result: http } = result("http", shapes.length > 0 ? readUnionShape(shapes) : null);
  return { async, result: mediaTypes.length > 0 ? { ...http, mediaTypes } : http };
}

const STREAMS = /^(AsyncGenerator|AsyncIterable|AsyncIterableIterator|AsyncIteratorObject)$/;

/** Returns the type of the items of a stream; null for other types. */
export function streamItemType(type: ts.Type): ts.Type | null {
  const symbol = type.getSymbol();
  if (symbol === undefined || !STREAMS.test(symbol.name)) return null;
  return (type as ts.TypeReference).typeArguments?.[0] ?? null;
}

function isAsync(fn: PluginDeclaration["fn"]): boolean {
  return fn.modifiers?.some((modifier) => modifier.kind === ts.SyntaxKind.AsyncKeyword) ?? false;
}

/** Reads one entry of a `PluginResponse<K, T>`: its sort key and its item. */
function readEntry(
  reader: ShapeReader,
  plugin: PluginDeclaration,
  where: ts.Node,
  response: ts.Type,
): TypeShape {
  const { context } = reader;
  const [keyType, itemType] = context.checker.getTypeArguments(response as ts.TypeReference);
  const key = keyType ? withRawBytes(reader.read(keyType).shape) : JSON_VALUE;
  // A response with an open key type takes it from the first entry.
  if (key.kind !== "json" && memberWires(key, reader.named).includes("json")) {
    const typeText = context.checker.typeToString(keyType!);
    const message = `sort keys of type \`${typeText}\` have no order`;
    context.error("SVC1044", where, message, "`int`, `float`, `str` or `bytes` as the key type");
  }
  const item = itemType ? reader.read(itemType) : { shape: JSON_VALUE, problems: [] };
  reportProblems(context, plugin, where, item);
  return { kind: "tuple", items: [key, item.shape], required: 2, rest: null };
}

const JSON_VALUE: TypeShape = { kind: "json" };

function reportProblems(
  context: ReadContext,
  plugin: PluginDeclaration,
  where: ts.Node,
  reading: TypeReading,
): void {
  for (const problem of firstProblems(reading)) {
    const place = problem.path && `, at \`${pathText(problem)}\`,`;
    const message = `the result of \`${plugin.name}\`${place} is ${problem.reason}`;
    context.error("SVC1041", where, message, problem.help);
  }
}
