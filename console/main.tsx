// The console: its frame, and the page in the address.

import { render } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { countOwn } from "./data/own-counts.js";
import { checkVersion } from "./data/server-connection.js";
import { requestSystem, SystemPoll } from "./data/system-view.js";
import { loadPages, PageView } from "./page-view.js";
import { BuildNotice } from "./parts/build-notice.js";
import { Help } from "./parts/frame/help.js";
import { MorePages } from "./parts/frame/more.js";
import { titleOfPage } from "./parts/frame/navigation.js";
import { Notices } from "./parts/frame/notices.js";
import { Palette } from "./parts/frame/palette.js";
import { Rail, TabBar } from "./parts/frame/rail.js";
import { startShortcuts } from "./parts/frame/shortcuts.js";
import { TopBar } from "./parts/frame/top-bar.js";
import { currentRoute } from "./router.js";
import { followTheme } from "./theme.js";

const COUNT_AFTER_MS = 2000;
const MAX_WAIT_MS = 1000;

/** Dialog over the page. */
type Layer = "palette" | "help" | "more" | null;

function Console() {
  const { page } = currentRoute.value;
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  const [layer, setLayer] = useState<Layer>(null);
  useEffect(() => {
    document.title = `${titleOfPage(page)} · svc console`;
    if (!isFirst.current) main.current?.focus();
    isFirst.current = false;
  }, [page]);
  // Not as an effect: effects run after the next paint, and keys pressed before would be lost.
  useLayoutEffect(() => {
    const openHelp = (): void => setLayer("help");
    document.addEventListener("svc-help", openHelp);
    const end = startShortcuts({ openPalette: () => setLayer("palette"), openHelp });
    return () => {
      document.removeEventListener("svc-help", openHelp);
      end();
    };
  }, []);
  const close = (): void => setLayer(null);
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <SystemPoll />
      <div class="shell">
        <Rail page={page} />
        <TopBar page={page} onPalette={() => setLayer("palette")} />
        <main id="main" tabIndex={-1} ref={main}>
          <Notices />
          <BuildNotice />
          <PageView page={page} />
        </main>
      </div>
      <TabBar page={page} onMore={() => setLayer("more")} />
      {layer === "palette" && <Palette onClose={close} />}
      {layer === "help" && <Help onClose={close} />}
      {layer === "more" && <MorePages onClose={close} />}
    </>
  );
}

const first = requestSystem();
followTheme();
const app = document.getElementById("app")!;
app.replaceChildren();
render(<Console />, app);
// Loads the code of other pages after the data of the first view, or if the server does not
// respond.
const late = new Promise((resume) => setTimeout(resume, MAX_WAIT_MS));
const isHome = currentRoute.value.page === "system";
void (isHome ? Promise.race([first, late]) : Promise.resolve()).then(loadPages);
// The first view needs no counts and no version.
setTimeout(() => void Promise.all([countOwn(), checkVersion()]), COUNT_AFTER_MS);
