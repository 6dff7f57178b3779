// A state as symbol, word and color: never as color alone.

import { type State, statusIcon } from "../data/instance-state.js";

export function Badge({ state }: { readonly state: State }) {
  return (
    <span class={state.tone}>
      <span aria-hidden="true">{statusIcon(state)} </span>
      {state.word}
    </span>
  );
}
