// Words that would break a TypeScript client.

import { type ReservedWords, words } from "../reserved-words.js";

export const TYPESCRIPT_WORDS: ReservedWords = {
  // JavaScript allows its keywords as names of methods and properties.
  keywords: [],
  methods: words(
    "builtin close constructor self services then toJSON toString valueOf with " +
      "hasOwnProperty isPrototypeOf propertyIsEnumerable toLocaleString _argspec",
  ),
  types: words(
    "AbortSignal Array ArrayBuffer AsyncGenerator BackEndLevel Boolean Builtin " +
      "CallDefaults CallOptions Client ClientOptions Date Envelope Error ErrorKind Failure " +
      "Fetch HttpResponse Number Object Partial PluginResponse Plugins Promise Readonly " +
      "Record Required Services String SvcError SvcParameterError SvcPluginError " +
      "SvcSystemError Symbol Uint8Array abstract any asserts bigint boolean case catch " +
      "const debugger declare default delete do enum export extends false function " +
      "implements infer instanceof interface intrinsic keyof let module namespace never new " +
      "null number object package private protected public readonly static string super " +
      "switch symbol this throw true type typeof undefined unique unknown var void",
  ),
};
