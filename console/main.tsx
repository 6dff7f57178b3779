// The console's one page: head, navigation and the page that the address names.

import { effect } from "@preact/signals";
import { type ComponentType, render } from "preact";
import { useEffect, useRef } from "preact/hooks";
import {
  connectionError,
  isOutdated,
  lastResponseAt,
  restartedAt,
} from "./data/server-connection.js";
import { clipForDisplay } from "./data/text.js";
import { Administration } from "./pages/admin.js";
import { GraphPage } from "./pages/graph.js";
import { Home } from "./pages/home.js";
import { Instance } from "./pages/instance.js";
import { Jobs } from "./pages/jobs.js";
import { Logs } from "./pages/logs.js";
import { Matrix } from "./pages/matrix.js";
import { Overview } from "./pages/overview.js";
import { Plugins } from "./pages/plugins.js";
import { Replication } from "./pages/replication.js";
import { Requests } from "./pages/requests.js";
import { SearchPage } from "./pages/search.js";
import { BuildNotice } from "./parts/build-notice.js";
import { PageLink } from "./parts/page-link.js";
import { currentRoute, PAGES, type Page } from "./router.js";
import { followTheme, switchTheme, theme } from "./theme.js";

interface Entry {
  readonly title: string;
  readonly show: ComponentType;
}

const SHOWN: Readonly<Record<Page, Entry>> = {
  index: { title: "Home", show: Home },
  system: { title: "Overview", show: Overview },
  status: { title: "Instance", show: Instance },
  plugin: { title: "Plugins", show: Plugins },
  requests: { title: "Requests", show: Requests },
  search: { title: "Graph", show: GraphPage },
  text: { title: "Search", show: SearchPage },
  matrix: { title: "Matrix", show: Matrix },
  replication: { title: "Replication", show: Replication },
  jobs: { title: "Jobs", show: Jobs },
  logs: { title: "Logs", show: Logs },
  admin: { title: "Administration", show: Administration },
};

function clock(at: number): string {
  return new Date(at).toLocaleTimeString();
}

/** Shows connection problems between this page and its server. */
function Notices() {
  return (
    <div aria-live="polite">
      {connectionError.value !== null && (
        <p class="notice" id="trouble">
          {clipForDisplay(connectionError.value)}.{" "}
          {lastResponseAt.value > 0 && `Data as of ${clock(lastResponseAt.value)}.`} Retrying.
        </p>
      )}
      {restartedAt.value !== null && (
        <p class="notice">The server restarted at {clock(restartedAt.value)}.</p>
      )}
      {isOutdated.value && (
        <p class="notice">
          The server was updated: <a href={location.href}>reload the console</a>.
        </p>
      )}
    </div>
  );
}

function Console() {
  const { page } = currentRoute.value;
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
        Skip to content
      </a>
      <div class="shell">
        <nav class="side" aria-label="Pages">
          <strong>svc console</strong>
          <ul>
            {PAGES.map((name) => (
              <li key={name}>
                <PageLink to={name} current={name === page ? "page" : undefined}>
                  {SHOWN[name].title}
                </PageLink>
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
          <BuildNotice />
          <Show key={page} />
        </main>
      </div>
    </>
  );
}

followTheme();
// The tab title shows problems too.
effect(() => {
  document.documentElement.dataset.state = connectionError.value === null ? "ok" : "trouble";
});
const app = document.getElementById("app")!;
app.replaceChildren();
render(<Console />, app);
