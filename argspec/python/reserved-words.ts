// Words that would break a Python client.

import { type ReservedWords, words } from "../reserved-words.js";

export const PYTHON_WORDS: ReservedWords = {
  keywords: words(
    "False None True and as assert async await break class continue def del elif else " +
      "except finally for from global if import in is lambda nonlocal not or pass raise " +
      "return try while yield",
  ),
  // Inside a class, a method of such a name would hide the type or value.
  methods: words(
    "with_options _call _call_http _call_raw _stream Generator _connection _options " +
      "_response property Any Builtin Dict Envelope HttpResponse LEFT_OUT List Literal " +
      "Optional PluginResponse Services Tuple Union bool bytes float int str",
  ),
  types: words(
    "Any BackEndLevel Builtin Client Dict Envelope Error Failure Generic HttpResponse " +
      "List Literal Mapping NotRequired Optional PluginResponse Sequence Services SvcError " +
      "SvcParameterError SvcPluginError SvcSystemError Tuple TypedDict TypeVar Union",
  ),
};
