// Project information in an OpenAPI document: version, license and servers.

import type { Argspec, ArgspecService } from "../argspec.js";

const VERSION_LENGTH = 12;
/** Values of npm that are no SPDX license expressions, as `identifier` requires. */
const NOT_SPDX = /^(UNLICENSED$|SEE LICENSE IN )/;

/** Returns the `info` object; without a version, its version is a prefix of the contract hash. */
export function buildInfoObject({ service, hash }: Argspec, description: string): object {
  const { name, version, license } = service;
  return {
    title: name ?? "svc",
    version: version ?? hash.slice(0, VERSION_LENGTH),
    description,
    ...(license !== undefined && {
      license: { name: license, ...(!NOT_SPDX.test(license) && { identifier: license }) },
    }),
  };
}

/**
 * Returns the `servers`. Without configured ones, they are relative to the URL of the document: the
 * prefix first, because a proxy may forward only paths below it.
 */
export function buildServers({ servers = [], prefix }: ArgspecService): readonly object[] {
  if (servers.length > 0) return servers.map((url) => ({ url: url.replace(/\/$/, "") }));
  const root = { url: "/" };
  return prefix === null ? [root] : [{ url: prefix }, root];
}

type Components = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Returns the components that are referenced, directly or indirectly. */
export function usedComponents(paths: object, components: Components): Components {
  const used = new Set<string>();
  const visit = (part: unknown): void => {
    if (typeof part !== "object" || part === null) return;
    for (const [key, value] of Object.entries(part)) {
      if (key === "$ref" && typeof value === "string") follow(value);
      else visit(value);
    }
  };
  const follow = (reference: string): void => {
    if (used.has(reference)) return;
    used.add(reference);
    const [, , kind = "", name = ""] = reference.split("/");
    visit(components[kind]?.[name]);
  };
  visit(paths);
  const kept = Object.entries(components).map(([kind, members]) => {
    const named = Object.entries(members).filter(([name]) =>
      used.has(`#/components/${kind}/${name}`),
    );
    return [kind, Object.fromEntries(named)] as const;
  });
  return Object.fromEntries(kept.filter(([, members]) => Object.keys(members).length > 0));
}
