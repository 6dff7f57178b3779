// Hits of a text search, best first, with the matching words marked.

import { clipForDisplay } from "../data/text.js";
import type { TextResult } from "../graph/text-search.js";
import { PageLink } from "./page-link.js";

const MAX_EXCERPT = 400;

interface TextHitsProps {
  readonly graph: string;
  readonly hits: TextResult["hits"];
}

export function TextHits({ graph, hits }: TextHitsProps) {
  if (hits.length === 0) return <p class="card">No vertex matches.</p>;
  return (
    <ol class="card hits" aria-label="Hits">
      {hits.map(({ id, type, score, excerpts }) => (
        <li key={id}>
          <PageLink to={`search?${new URLSearchParams({ graph, id })}`}>
            {clipForDisplay(id)}
          </PageLink>{" "}
          <span class="soft">
            {clipForDisplay(type, 60)} · score {score.toFixed(3)}
          </span>
          {excerpts.map(([key, parts]) => (
            <p key={key}>
              <span class="soft">{clipForDisplay(key, 60)}: </span>
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
