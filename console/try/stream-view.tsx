// A stream line by line, with a count.

import { useEffect, useRef } from "preact/hooks";
import { clipForDisplay, count } from "../data/text.js";
import { Badge } from "../parts/badge.js";
import { CopyButton } from "../parts/copy-button.js";
import type { StreamState } from "./use-call.js";

const MAX_LINE = 2000;
const ENDS = {
  "": { tone: "ok", word: "streaming" },
  complete: { tone: "ok", word: "complete" },
  stopped: { tone: "unk", word: "stopped" },
  broken: { tone: "err", word: "broken off" },
} as const;

interface StreamViewProps {
  readonly stream: StreamState;
  readonly onStop: () => void;
}

export function StreamView({ stream, onStop }: StreamViewProps) {
  const { lines, count: all, isOpen, end } = stream;
  const list = useRef<HTMLElement>(null);
  useEffect(() => {
    list.current!.scrollTop = list.current!.scrollHeight;
  }, [all]);
  return (
    <section class="card" aria-label="Stream">
      <header>
        <Badge isPill state={ENDS[end]} />
        <span class="soft s" role="status">
          {count(all)} lines
          {all > lines.length && `, the last ${count(lines.length)} shown`}
        </span>
        <span class="end row">
          {isOpen && (
            <button type="button" class="btn danger" onClick={onStop}>
              Stop
            </button>
          )}
          <CopyButton text={lines.join("\n")} what="lines" />
        </span>
      </header>
      <div class="body">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard */}
        <section class="code stream" tabIndex={0} aria-label="Lines of the stream" ref={list}>
          {lines.map((line) => `${clipForDisplay(line, MAX_LINE)}\n`)}
        </section>
      </div>
    </section>
  );
}
