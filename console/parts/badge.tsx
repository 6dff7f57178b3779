// A state as sign, word and colour: never as colour alone.

import { type State, signOf } from "../data/state-of.js";

export function Badge({ state }: { readonly state: State }) {
  return (
    <span class={state.tone}>
      <span aria-hidden="true">{signOf(state)} </span>
      {state.word}
    </span>
  );
}
