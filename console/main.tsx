// The console's one page: head, navigation and the page that the address names.

import { effect } from "@preact/signals";
import { type ComponentType, render } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { isOutdated, lastAnswerAt, restartedAt, trouble } from "./data/live.js";
import { shown } from "./data/text.js";
import { GraphPage } from "./pages/graph.js";
import { Instance } from "./pages/instance.js";
import { Matrix } from "./pages/matrix.js";
import { Overview } from "./pages/overview.js";
import { Plugins } from "./pages/plugins.js";
import { Requests } from "./pages/requests.js";
import { go, type Page, place } from "./router.js";
import { followTheme, switchTheme, theme } from "./theme.js";

interface Entry {
  readonly title: string;
  readonly show: ComponentType;
}

const SHOWN: Readonly<Record<Page, Entry>> = {
  system: { title: "Overview", show: Overview },
  status: { title: "Instance", show: Instance },
  plugin: { title: "Plugins", show: Plugins },
  requests: { title: "Requests", show: Requests },
  search: { title: "Graph", show: GraphPage },
  matrix: { title: "Matrix", show: Matrix },
};

function Link({ page }: { readonly page: Page }) {
  return (
    <a
      href={page}
      aria-current={place.value.page === page ? "page" : undefined}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        go(page);
      }}
    >
      {SHOWN[page].title}
    </a>
  );
}

function clock(at: number): string {
  return new Date(at).toLocaleTimeString();
}

/** What is wrong between this page and its server. */
function Notices() {
  return (
    <div aria-live="polite">
      {trouble.value !== null && (
        <p class="notice" id="trouble">
          No answer: {shown(trouble.value)}.{" "}
          {lastAnswerAt.value > 0 && `What is shown is of ${clock(lastAnswerAt.value)}.`} It is
          asked again.
        </p>
      )}
      {restartedAt.value !== null && (
        <p class="notice">The server was started anew at {clock(restartedAt.value)}.</p>
      )}
      {isOutdated.value && (
        <p class="notice">
          The server was updated: <a href={location.href}>load the console again</a>.
        </p>
      )}
    </div>
  );
}

function Console() {
  const { page } = place.value;
  const { title, show: Show } = SHOWN[page];
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  useEffect(() => {
    document.title = `${title} · svc console`;
    if (!isFirst.current) main.current?.focus();
    isFirst.current = false;
  }, [page]);
  return (
    <>
      <a class="skip" href="#main">
        To the content
      </a>
      <div class="shell">
        <nav class="side" aria-label="Pages">
          <strong>svc console</strong>
          <ul>
            {(Object.keys(SHOWN) as Page[]).map((name) => (
              <li key={name}>
                <Link page={name} />
              </li>
            ))}
          </ul>
          <button type="button" onClick={switchTheme}>
            {theme.value === "dark" ? "Light" : "Dark"}
          </button>
        </nav>
        <main id="main" tabIndex={-1} ref={main}>
          <h1>{title}</h1>
          <Notices />
          <Show key={page} />
        </main>
      </div>
    </>
  );
}

followTheme();
// The tab tells of trouble, too.
effect(() => {
  document.documentElement.dataset.state = trouble.value === null ? "ok" : "trouble";
});
const app = document.getElementById("app")!;
app.replaceChildren();
render(<Console />, app);
