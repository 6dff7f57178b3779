// Hits of a text search, best first, with the matching words marked.

import { clipForDisplay } from "../data/text.js";
import { PageLink } from "../parts/page-link.js";
import type { TextResult } from "./text-search.js";

const MAX_EXCERPT = 400;

interface TextHitsProps {
  readonly graph: string;
  readonly hits: TextResult["hits"];
  /** Hits of a search to compare with, or null. */
  readonly other: TextResult["hits"] | null;
  readonly label?: string;
}

export function TextHits({ graph, hits, other, label = "Hits" }: TextHitsProps) {
  if (hits.length === 0) return <p class="card">No vertex matches.</p>;
  return (
    <ol class="card hits" aria-label={label}>
      {hits.map(({ id, type, score, excerpts }) => (
        <li key={id}>
          <div class="row">
            <PageLink to={`search?${new URLSearchParams({ graph, id })}`}>
              {clipForDisplay(id)}
            </PageLink>
            <span class="tag">{clipForDisplay(type, 60)}</span>
            <span class="end faint s tn">
              score {score.toFixed(3)}
              {other !== null && ` · ${placeIn(other, id)}`}
            </span>
          </div>
          {excerpts.map(([key, parts]) => (
            <p key={key}>
              <span class="faint">{clipForDisplay(key, 60)} </span>
              {parts.map(({ text, isMarked }, at) => {
                const shown = clipForDisplay(text, MAX_EXCERPT);
                return isMarked ? <mark key={at}>{shown}</mark> : <span key={at}>{shown}</span>;
              })}
            </p>
          ))}
        </li>
      ))}
    </ol>
  );
}

/** Returns where the compared search lists a vertex. */
function placeIn(hits: TextResult["hits"], id: string): string {
  const at = hits.findIndex((hit) => hit.id === id);
  return at < 0 ? "only here" : `place ${at + 1} beside`;
}
