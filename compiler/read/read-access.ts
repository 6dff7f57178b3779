// Reads `@public` and `@scope orders:write`: which principals may call a plugin if authentication
// is configured.

import type { ts } from "ts-morph";
import { SCOPE } from "../../runtime/settings/scope-rules.js";
import type { AccessRecord } from "../record/plugin-record.js";
import { readTagLine } from "./doc-comment.js";
import type { PluginDeclaration } from "./plugin-declaration.js";
import type { ReadContext } from "./read-context.js";

export function readAccess(context: ReadContext, { doc }: PluginDeclaration): AccessRecord {
  const named = (name: string) => doc.tags.filter(({ tagName }) => tagName.text === name);
  const scopes = named("scope").flatMap((tag) => readScopes(context, tag));
  const [tag] = named("public");
  if (tag !== undefined && named("scope").length > 0) {
    context.error("SVC1148", tag, "`@public` and `@scope` contradict each other", "`@scope`");
  }
  return { isPublic: tag !== undefined, scopes };
}

function readScopes(context: ReadContext, tag: ts.JSDocTag): string[] {
  const scopes = readTagLine(tag)
    .split(/[\s,]+/)
    .filter((scope) => scope !== "");
  if (scopes.length > 0 && scopes.every((scope) => SCOPE.test(scope))) return scopes;
  const message = `\`@scope ${readTagLine(tag)}\` is not a list of scopes`;
  context.error("SVC1148", tag, message, "`@scope orders:write`");
  return [];
}
