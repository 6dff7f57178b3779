// The path that a drawing shows, as text.

import { clipForDisplay, plural } from "../data/text.js";
import { PageLink } from "../parts/page-link.js";

export interface FoundPath {
  readonly to: string;
  /** Vertices of the path, starting at the center; empty: no path exists. */
  readonly ids: readonly string[];
  /** Reason why no path was searched; empty if one was. */
  readonly failure: string;
}

interface PathLineProps {
  readonly graph: string;
  readonly path: FoundPath;
}

export function PathLine({ graph, path: { to, ids, failure } }: PathLineProps) {
  return (
    <p role="status" class="s">
      {failure !== "" && <span class="err">{clipForDisplay(failure)}</span>}
      {failure === "" && ids.length === 0 && `No path to ${clipForDisplay(to, 40)}.`}
      {ids.map((vertexId, index) => (
        <span key={index}>
          {index > 0 && " → "}
          <PageLink to={`search?${new URLSearchParams({ graph, id: vertexId })}`}>
            {clipForDisplay(vertexId, 40)}
          </PageLink>
        </span>
      ))}
      {ids.length > 0 && <span class="soft">, {plural(ids.length - 1, "arc")}</span>}
    </p>
  );
}
