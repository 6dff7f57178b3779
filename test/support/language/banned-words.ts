// Banned words, each with its replacement: docs/contributing/style.md and
// docs/internals/glossary.md.

export interface BannedWords {
  readonly name: string;
  readonly pattern: RegExp;
  readonly instead: string;
}

/** A word in any case. */
function words(pattern: string, instead: string): BannedWords {
  return { name: pattern, pattern: new RegExp(`\\b(?:${pattern})\\b`, "gi"), instead };
}

/** A word at the beginning of a sentence that is not a question. */
function subject(word: string): BannedWords {
  const pattern = new RegExp(`(?:^|[.;:|*] )${word}\\b(?![^.]*\\?)`, "gm");
  return { name: `${word} …`, pattern, instead: "a noun as the subject" };
}

export const BANNED_WORDS: readonly BannedWords[] = [
  subject("Who"),
  subject("What"),
  words("who(?:so)?ever|whomever", "the client, the caller, the thread …"),
  words("those (?:who|that|which)", "a noun"),
  words("(?:no|some|any|every)body", "the client, the caller, the thread …"),
  words("(?<!there )(?:is|are) none", "not, without"),
  words("unless (?:told|it is told|somebody)", "by default"),
  words("mend(?:s|ed|ing)?", "fix, repair"),
  words("anew", "again, or a verb"),
  words("(?:made|done|does|do) again", "replay, repeat"),
  words("patients?", "unhealthy back-end"),
  words("heirs?", "successor"),
  words("misfits?", "invalid argument, incompatibility"),
  words("g[ia]ves? way|giving way", "preempt"),
  words("strangers?", "untrusted client"),
  words("foreign pages?|pages? of (?:an)?other origins?", "cross-origin request"),
  words("time-outs?", "timeout"),
  words("repeatable", "retryable"),
  words("cut off", "discard, truncate, torn write"),
  words("damaged?", "corrupt, invalid"),
  words("log of (?:all )?changes", "transaction log"),
  words("threads? (?:of (?:the )?|that has the )sockets", "IO thread"),
  words("later and later|little by little", "backoff, slow start"),
  words("piece by piece", "stream, item by item"),
  words("no answers?(?! after)", "no response"),
  words("small letters|in capitals|how manyth", "lower case, upper case, position"),
  words("one of so many|so many", "n, a number"),
  words("no bound", "no limit"),
  words("figures?", "metric, number"),
  words("findings?", "diagnostic"),
  words("mistakes?", "error"),
  words("as ever|for want of|in vain|but for", "standard English"),
  words("(?:neighbour|colour|behaviour|honour|favour)\\w*", "US spelling"),
  words("(?:serial|initial|recogn|normal|final)is(?:e[sd]?|ing|ation)", "US spelling"),
];
