// Searches texts while the user types: hits with marked words, counts by facet, the explanation of
// the search, and the hits of another search for comparison. The address contains graph, index,
// texts and facets.

import { useEffect, useState } from "preact/hooks";
import { clipForDisplay, count, milliseconds } from "../data/text.js";
import { graphNames } from "../graph/neighbors.js";
import { TextHits } from "../graph/text-hits.js";
import {
  searchTexts,
  type TextIndex,
  type TextResult,
  type TextSearch,
  textIndexes,
} from "../graph/text-search.js";
import { Facets } from "../parts/facets.js";
import { Fold } from "../parts/fold.js";
import { NoGraph } from "../parts/no-graph.js";
import { Note } from "../parts/note.js";
import { TextBlock } from "../parts/text-block.js";
import { currentRoute, navigate, saveState, saveStatePart } from "../router.js";

/** Pause of input before a search. */
const PAUSE_MS = 120;
/** Parameter of the text to compare with. */
const OTHER = "other";
/** Prefix of chosen facet values in the address. */
const CHOSEN = "f.";

export function SearchPage() {
  const [names, setNames] = useState<readonly string[] | null>(null);
  const [indexes, setIndexes] = useState<readonly TextIndex[] | null>(null);
  const [failure, setFailure] = useState("");
  const { params } = currentRoute.value;
  const graph = params.get("graph") ?? names?.[0] ?? "";
  const index = indexes?.find(({ name }) => name === params.get("in")) ?? indexes?.[0];
  useEffect(() => {
    graphNames().then(setNames, (error: Error) => setFailure(error.message));
  }, []);
  const isHere = names?.includes(graph) === true;
  useEffect(() => {
    setIndexes(null);
    setFailure("");
    if (!isHere) return;
    let isOver = false;
    textIndexes(graph).then(
      (found) => !isOver && setIndexes(found),
      (error: Error) => !isOver && setFailure(error.message),
    );
    return () => {
      isOver = true;
    };
  }, [isHere, graph]);
  if (names?.length === 0) return <NoGraph graph={graph} page="text" />;
  return (
    <>
      <Choices names={names ?? []} graph={graph} indexes={indexes ?? []} index={index} />
      <Failure text={failure} />
      {names !== null && !isHere && <NoGraph graph={graph} page="text" />}
      {indexes?.length === 0 && (
        <p class="soft">
          This graph has no text index. Declare one with <code>graph.index("text", …)</code>.
        </p>
      )}
      {index !== undefined && (
        <Results key={`${graph}/${index.name}`} graph={graph} index={index} />
      )}
    </>
  );
}

function Failure({ text }: { readonly text: string }) {
  if (text === "") return null;
  return <Note isAlert>{clipForDisplay(text)}</Note>;
}

interface ChoicesProps {
  readonly names: readonly string[];
  readonly graph: string;
  readonly indexes: readonly TextIndex[];
  readonly index: TextIndex | undefined;
}

function Choices({ names, graph, indexes, index }: ChoicesProps) {
  const { params } = currentRoute.value;
  const all = names.includes(graph) ? names : [graph, ...names];
  return (
    <form class="card stack" onSubmit={(event) => event.preventDefault()}>
      <div class="row">
        <Select
          label="Graph"
          value={graph}
          among={all}
          onChoose={(name) => navigate(`text?${new URLSearchParams({ graph: name })}`)}
        />
        <Select
          label="Index"
          value={index?.name ?? ""}
          among={indexes.map(({ name }) => name)}
          onChoose={(name) => saveStatePart("in", name)}
        />
        <label>
          <span class="soft s">Facets</span>
          <input
            id="text-facets"
            placeholder="properties, such as brand, price"
            value={params.get("facets") ?? ""}
            autocomplete="off"
            onInput={(event) => saveStatePart("facets", event.currentTarget.value)}
          />
        </label>
      </div>
      <div class="field">
        <label for="text-words">Words, "phrases", -exclusions</label>
        <input
          id="text-words"
          type="search"
          value={params.get("q") ?? ""}
          autocomplete="off"
          aria-describedby="text-about"
          onInput={(event) => saveStatePart("q", event.currentTarget.value)}
        />
        <p class="soft" id="text-about">
          {index !== undefined &&
            `${count(index.documents)} texts of ${clipForDisplay(index.keys.join(", "))}, ` +
              `${count(index.pending)} not in the index yet`}
        </p>
      </div>
      <div class="field">
        <label for="text-other">Compare with</label>
        <input
          id="text-other"
          type="search"
          placeholder="other words"
          value={params.get(OTHER) ?? ""}
          autocomplete="off"
          onInput={(event) => saveStatePart(OTHER, event.currentTarget.value)}
        />
      </div>
    </form>
  );
}

interface SelectProps {
  readonly label: string;
  readonly value: string;
  readonly among: readonly string[];
  readonly onChoose: (value: string) => void;
}

function Select({ label, value, among, onChoose }: SelectProps) {
  return (
    <label>
      <span class="soft s">{label}</span>
      <select value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
        {among.map((name) => (
          <option key={name} value={name}>
            {clipForDisplay(name, 60)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Returns the chosen values as JSON, by facet. */
function chosenValues(params: URLSearchParams): Map<string, string> {
  const entries = [...params].filter(([name, value]) => name.startsWith(CHOSEN) && isJson(value));
  return new Map(entries.map(([name, value]) => [name.slice(CHOSEN.length), value]));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function toggle(facet: string, value: string): void {
  const params = new URLSearchParams(currentRoute.value.params);
  const name = CHOSEN + facet;
  if (params.get(name) === value) params.delete(name);
  else params.set(name, value);
  saveState(params);
}

interface ResultsProps {
  readonly graph: string;
  readonly index: TextIndex;
}

/** Searches while the text changes; null without a text. */
function useSearch(search: TextSearch): { result: TextResult | null; failure: string } {
  const [result, setResult] = useState<TextResult | null>(null);
  const [failure, setFailure] = useState("");
  const { text, facets, chosen } = search;
  useEffect(() => {
    setFailure("");
    if (text === "") {
      setResult(null);
      return;
    }
    const running = new AbortController();
    const timer = setTimeout(() => {
      searchTexts(search, running.signal).then(
        (found) => {
          setFailure("");
          setResult(found);
        },
        (error: Error) => !running.signal.aborted && setFailure(error.message),
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      running.abort();
    };
  }, [text, facets.join(), JSON.stringify([...chosen])]);
  return { result, failure };
}

function Results({ graph, index }: ResultsProps) {
  const { params } = currentRoute.value;
  const text = params.get("q") ?? "";
  const facets = (params.get("facets") ?? "").split(/[\s,]+/).filter((name) => name !== "");
  const chosen = chosenValues(params);
  const search = { graph, index, text, facets, chosen };
  const { result, failure } = useSearch(search);
  const { result: other, failure: otherFailure } = useSearch({
    ...search,
    text: text === "" ? "" : (params.get(OTHER) ?? ""),
  });
  const describe = (found: TextResult): string =>
    `${count(found.count)} hits in ${milliseconds(found.execMs ?? found.totalMs)}`;
  return (
    <>
      <Failure text={failure} />
      <Failure text={otherFailure} />
      <p role="status" id="text-status" class="soft">
        {result !== null && describe(result)}
        {result !== null && other !== null && `, compared with ${describe(other)}`}
      </p>
      {result !== null && (
        <>
          <div class="two">
            <section class="card" aria-label="Facets">
              <Fold title={chosen.size === 0 ? "Filters" : `Filters: ${chosen.size} chosen`}>
                <Facets facets={result.facets} chosen={chosen} onToggle={toggle} />
              </Fold>
            </section>
            <div class="cards">
              <TextHits graph={graph} hits={result.hits} other={other?.hits ?? null} />
              {other !== null && (
                <TextHits graph={graph} hits={other.hits} other={result.hits} label="Compared" />
              )}
            </div>
          </div>
          <section class="card">
            <h2>Explanation</h2>
            <TextBlock
              label="Explanation of the search"
              text={JSON.stringify(result.explanation, null, 2)}
            />
          </section>
        </>
      )}
    </>
  );
}
