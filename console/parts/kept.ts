// Components that render again only if a property differs. Used where a page has hundreds of them.

import { Component, type ComponentChildren } from "preact";

/** @param draw reads no signal and has no state, because changes of these cause no render */
export function kept<Props extends object>(draw: (props: Props) => ComponentChildren) {
  return class Kept extends Component<Props> {
    override shouldComponentUpdate(next: Props): boolean {
      const { props } = this;
      for (const name in next) if (next[name] !== props[name]) return true;
      return false;
    }

    override render(props: Props): ComponentChildren {
      return draw(props);
    }
  };
}
