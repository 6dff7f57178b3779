// A shortest path from the chosen vertex to another.

import { useState } from "preact/hooks";
import { fetchValue } from "../data/client.js";
import { listAt } from "../data/node-stat.js";
import { clipForDisplay } from "../data/text.js";
import { PageLink } from "../parts/page-link.js";

interface PathFormProps {
  readonly graph: string;
  readonly id: string;
}

export function PathForm({ graph, id }: PathFormProps) {
  const [to, setTo] = useState("");
  const [path, setPath] = useState<readonly string[] | null>(null);
  const [failure, setFailure] = useState("");
  const find = async (): Promise<void> => {
    setFailure("");
    try {
      const args = new URLSearchParams({ graph, id, to, hits: "1" });
      const [first] = listAt({ found: await fetchValue(`svc/builtin/paths?${args}`) }, "found");
      setPath(listAt(first, "path").map(String));
    } catch (error) {
      setPath(null);
      setFailure((error as Error).message);
    }
  };
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        if (to !== "") void find();
      }}
    >
      <label>
        Path to
        <input id="path-to" value={to} onInput={(event) => setTo(event.currentTarget.value)} />
      </label>
      <button type="submit" class="btn">
        Find path
      </button>
      <span role="status">
        {failure !== "" && <span class="err">{clipForDisplay(failure)}</span>}
        {path?.length === 0 && "No path."}
        {path?.map((one, index) => (
          <span key={index}>
            {index > 0 && " → "}
            <PageLink to={`search?${new URLSearchParams({ graph, id: one })}`}>
              {clipForDisplay(one, 40)}
            </PageLink>
          </span>
        ))}
      </span>
    </form>
  );
}
