// `plugin`: marks a function as a plugin. The compiler reads the mark in the source; at run time it
// only stores the options, so that `addPlugin` finds them in a module loaded without a build.

import type { PluginRole } from "../../../argspec/argspec.js";
import { ArgumentError } from "../../base/errors.js";
import { typeName } from "../contract/describe-error.js";
import type { PluginFunction, PostFunction } from "../contract/plugin-function.js";
import type { Parameters } from "./parameters.js";

/** Options of a plugin declaration; the compiler requires literals. */
export interface PluginOptions {
  /** Service name; default: the function's name. */
  readonly name?: string;
  /** Graph that the argument `graph` is bound to. */
  readonly graph?: string;
  readonly role?: PluginRole;
  /** The plugin changes nothing, so its requests are retryable. */
  readonly readonly?: boolean;
  /** Signature for `addPlugin`; the compiler reads the signature itself. */
  readonly parameters?: Parameters;
}

/** Options of a declaration, with the role filled in. */
export type Declaration = PluginOptions & { readonly role: PluginRole };

// biome-ignore lint/complexity/noBannedTypes: a key of the map, never called
const declarations = new WeakMap<Function, Declaration>();

/** Returns the declaration of a function, undefined if it was not marked. */
export function findDeclaration(fn: unknown): Declaration | undefined {
  return typeof fn === "function" ? declarations.get(fn) : undefined;
}

/** Decorator for a static method, returned by `plugin(options)`. */
export interface MethodMark {
  <F extends PluginFunction | PostFunction>(method: F, context: ClassMethodDecoratorContext): void;
  /** With `experimentalDecorators`. */
  <F extends PluginFunction | PostFunction>(
    target: object,
    name: string | symbol,
    method: TypedPropertyDescriptor<F>,
  ): void;
}

interface Mark<Fn extends PluginFunction | PostFunction> {
  /** Marks a function and returns it. */
  <F extends Fn>(fn: F): F;
  /** Marks a function, with options, and returns it. */
  <F extends Fn>(options: PluginOptions, fn: F): F;
  /** Decorator with options for a static method. */
  (options: PluginOptions): MethodMark;
  /** Decorator for a static method. */
  <F extends Fn>(method: F, context: ClassMethodDecoratorContext): void;
  /** Decorator for a static method with `experimentalDecorators`. */
  <F extends Fn>(target: object, name: string | symbol, method: TypedPropertyDescriptor<F>): void;
}

interface PluginMark extends Mark<PluginFunction> {
  /** Marks a post-processor and returns it. */
  <F extends PostFunction>(options: PluginOptions & { readonly role: "post" }, fn: F): F;
  /** Marks a pre-processor of a dispatcher. */
  readonly pre: Mark<PluginFunction>;
  /** Marks a post-processor of a dispatcher. */
  readonly post: Mark<PostFunction>;
}

function markAs(role: PluginRole): (...parts: readonly unknown[]) => unknown {
  return (first, second, descriptor) => {
    if (descriptor !== undefined) return declareMethod(first, descriptor, { role });
    if (typeof first === "function") {
      if (second !== undefined) checkMethod(second);
      declare(first, { role });
      return second === undefined ? first : undefined;
    }
    if (typeof first !== "object" || first === null) {
      throw new ArgumentError("TypeError", `plugin must be a function, not ${typeName(first)}`);
    }
    const declaration = { role, ...(first as PluginOptions) };
    if (second !== undefined) return declare(second, declaration);
    return (method: unknown, context: unknown, legacy?: unknown) => {
      if (legacy !== undefined) return declareMethod(method, legacy, declaration);
      checkMethod(context);
      declare(method, declaration);
    };
  };
}

function declare(fn: unknown, declaration: Declaration): unknown {
  if (typeof fn !== "function") {
    throw new ArgumentError("TypeError", `plugin must be a function, not ${typeName(fn)}`);
  }
  declarations.set(fn, Object.freeze(declaration));
  return fn;
}

/** `experimentalDecorators` passes the class of a static method, its name and a descriptor. */
function declareMethod(target: unknown, descriptor: unknown, declaration: Declaration): void {
  checkMethod({ kind: "method", static: typeof target === "function" });
  declare((descriptor as PropertyDescriptor).value, declaration);
}

function checkMethod(context: unknown): void {
  const { kind, static: isStatic } = context as Partial<ClassMethodDecoratorContext>;
  if (kind !== "method" || !isStatic) {
    throw new ArgumentError("TypeError", "@plugin must precede a static method");
  }
}

/**
 * Declares a plugin: `plugin(fn)`, `plugin(options, fn)`, `@plugin` or `@plugin(options)` before a
 * static method; `plugin.pre` and `plugin.post` declare processors of a dispatcher (plugin-api,
 * "Plugin function contracts").
 * @throws ArgumentError for anything but a function or a static method
 * @example
 * export const double = plugin({ name: "twice" }, (request, n: int = 1) => 2 * n);
 */
export const plugin = Object.assign(markAs("engine"), {
  pre: markAs("pre"),
  post: markAs("post"),
}) as PluginMark;
