// Jobs: exported functions and tagged methods, with `@cron 0 3 * * *` or `@every 30s`. The server
// runs them on schedule.

import { Cron } from "croner";
import type { ts } from "ts-morph";
import type { JobFacts, JobSchedule } from "../../runtime/plugin/contract/job-schedule.js";
import { type DocComment, readTagLine } from "./doc-comment.js";
import { parseDuration } from "./duration.js";
import { exportedName } from "./exported-name.js";
import type { FileScope } from "./file-scope.js";
import { hasPlainSignature } from "./plain-signature.js";
import { isFunctionNode, type PluginDeclaration } from "./plugin-declaration.js";
import type { ReadContext } from "./read-context.js";
import { resolveFunction } from "./resolved-function.js";

const MIN_EVERY_MS = 1000;
const MAX_EVERY_MS = 24 * 3600 * 1000;
const DEFAULT_ZONE = "UTC";
/** Allowed numbers of fields in a cron expression; a seventh field would be the year. */
const FIELDS = [5, 6];
const EXAMPLE = "`@cron 0 3 * * *`, `@cron 0 3 * * * Europe/Berlin`, or `@every 30s`";

function scheduleTags({ tags }: DocComment): ts.JSDocTag[] {
  return tags.filter(({ tagName: { text } }) => text === "cron" || text === "every");
}

export function isScheduled(doc: DocComment): boolean {
  return scheduleTags(doc).length > 0;
}

/** Returns the job that a tagged declaration defines; null after an error. */
export function asJob(
  { context, seen }: FileScope,
  doc: DocComment,
  value: ts.Node | undefined,
  nameNode: ts.Node,
  exportName: string | undefined,
): PluginDeclaration | null {
  for (const tag of doc.tags) seen.add(tag);
  const [tag, other] = scheduleTags(doc);
  const contradiction = other ?? doc.plugin?.node;
  if (contradiction !== undefined) {
    const names = [tag!, contradiction].map(({ tagName }) => `\`@${tagName.text}\``);
    const message = `${names.join(" and ")} exclude each other`;
    const help = "one of the tags; a plugin can call the same function";
    context.error("SVC1150", contradiction, message, help);
    return null;
  }
  const target =
    value && (isFunctionNode(value) ? { fn: value } : resolveFunction(context, value, nameNode));
  if (target === null) return null;
  if (target === undefined || exportName === undefined) {
    const message = "a scheduled function must be an exported function at module level";
    context.error("SVC1150", nameNode, message, "`export async function name(job: Job) { ... }`");
    return null;
  }
  const name = exportedName(exportName, nameNode);
  if (name === null) {
    const message = "a default export has no name for the job";
    context.error(
      "SVC1006",
      tag!,
      message,
      "`export default async function name(job: Job) { ... }`",
    );
    return null;
  }
  const schedule = readSchedule(context, tag!);
  if (schedule === null) return null;
  if (target.fn === value && !hasPlainSignature(context, target.fn, nameNode)) return null;
  const isCaughtUp = doc.tags.some(({ tagName }) => tagName.text === "catchup");
  return jobDeclaration(doc, { ...target, name, nameNode }, exportName, { schedule, isCaughtUp });
}

function jobDeclaration(
  doc: DocComment,
  target: Pick<PluginDeclaration, "fn" | "resolved" | "name" | "nameNode">,
  exportName: string,
  job: JobFacts,
): PluginDeclaration {
  return {
    ...target,
    role: "engine",
    graph: doc.graph?.text || null,
    readonly: false,
    exportPath: exportName,
    doc,
    job,
  };
}

function readSchedule(context: ReadContext, tag: ts.JSDocTag): JobSchedule | null {
  return tag.tagName.text === "cron" ? readCron(context, tag) : readEvery(context, tag);
}

function readEvery(context: ReadContext, tag: ts.JSDocTag): JobSchedule | null {
  const text = readTagLine(tag);
  const everyMs = parseDuration(text);
  if (everyMs !== null && everyMs >= MIN_EVERY_MS && everyMs <= MAX_EVERY_MS) return { everyMs };
  const message = `\`${`@every ${text}`.trimEnd()}\` is not a duration from 1s to 24h`;
  context.error("SVC1151", tag, message, "`@every 30s`, `5min` or `2h`");
  return null;
}

function readCron(context: ReadContext, tag: ts.JSDocTag): JobSchedule | null {
  const text = readTagLine(tag);
  const words = text.split(/\s+/);
  const hasZone = words.length > 5 && /^[A-Za-z]+(?:[/_+-][\w+-]+)*$/.test(words.at(-1)!);
  const isWeekday = words.length === 6 && /^(?:SUN|MON|TUE|WED|THU|FRI|SAT)$/i.test(words.at(-1)!);
  const timeZone = hasZone && !isWeekday ? words.pop()! : DEFAULT_ZONE;
  const cron = words.join(" ");
  const fault = cronFault(cron, words.length, timeZone);
  if (fault === null) return { cron, timeZone };
  context.error("SVC1151", tag, `\`${`@cron ${text}`.trimEnd()}\`${fault}`, EXAMPLE);
  return null;
}

/** Returns what is wrong with a cron expression; null if it is valid. */
function cronFault(cron: string, fields: number, timeZone: string): string | null {
  // A comment cannot contain `*/`, so the parser ends the expression there.
  if (cron === "") return " has no expression; `*/` ends the comment: write `0-59/5` for `*/5`";
  if (!isTimeZone(timeZone)) return ` names an unknown time zone \`${timeZone}\``;
  if (!FIELDS.includes(fields)) return ` has ${fields} fields; expected 5, or 6 with seconds`;
  try {
    const next = new Cron(cron, { timezone: timeZone, paused: true }).nextRun();
    return next === null ? " never matches a time" : null;
  } catch (error) {
    return `: ${(error as Error).message.replace(/^CronPattern: /, "")}`;
  }
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
