// List of all pages, for phones, where the rail does not fit.

import { useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "../icon.js";
import { PageLink } from "../page-link.js";
import { GROUPS } from "./navigation.js";

export function MorePages({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current!.showModal(), []);
  return (
    <dialog class="more" ref={dialog} aria-label="All pages" onClose={onClose}>
      {GROUPS.map(([group, entries]) => (
        <section key={group}>
          <h2>{group}</h2>
          <ul>
            {entries.map(({ page, title, icon }) => (
              <li key={page}>
                <PageLink to={page} className="nav" onGo={() => dialog.current!.close()}>
                  <Icon name={icon} />
                  {title}
                </PageLink>
              </li>
            ))}
          </ul>
        </section>
      ))}
      <button type="button" class="btn" onClick={() => dialog.current!.close()}>
        Close
      </button>
    </dialog>
  );
}
