// The content of a page. The home page is loaded with the frame. The code of all other pages is
// loaded soon after, so that they can be opened even if the server is down or has another version.

import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { SystemPage } from "./pages/system.js";
import { titleOfPage } from "./parts/frame/navigation.js";
import { Loading } from "./parts/loading.js";
import { Note } from "./parts/note.js";
import type { Page } from "./router.js";

/** Pages that render their own heading. */
const WITH_HEAD: ReadonlySet<Page> = new Set([
  ...(["system", "status", "plugin", "requests", "logs", "matrix"] as const),
  ...(["replication", "admin"] as const),
]);

type LazyPages = Readonly<Record<Exclude<Page, "system">, ComponentType>>;

const lazyPages = signal<LazyPages | "loading" | "failed">("loading");

/** Loads the code of all pages but the home page. */
export async function loadPages(): Promise<void> {
  try {
    lazyPages.value = await import("./pages/lazy.js");
  } catch {
    lazyPages.value = "failed";
  }
}

export function PageView({ page }: { readonly page: Page }) {
  if (page === "system") return <SystemPage />;
  const pages = lazyPages.value;
  const hasHead = typeof pages === "object" && WITH_HEAD.has(page);
  const Show = typeof pages === "object" ? pages[page] : null;
  return (
    <>
      {!hasHead && <h1>{titleOfPage(page)}</h1>}
      {pages === "loading" && <Loading what="the page" />}
      {pages === "failed" && <Failure />}
      {Show !== null && <Show key={page} />}
    </>
  );
}

function Failure() {
  const reload = (
    <button type="button" onClick={() => location.reload()}>
      Reload
    </button>
  );
  return <Note actions={reload}>The server did not send the code of this page.</Note>;
}
