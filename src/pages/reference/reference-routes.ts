import { loadLazily } from "../../core/time/load-lazily.js";
import { get, type PageFamily } from "../page-route.js";

const load = () => loadLazily(() => import("./reference-page.js"));

/** An API document as one page, for each API. */
export const REFERENCE: PageFamily = {
  service: (host) => [get("/docs", async (c) => (await load()).serveDocs(host, c))],
  control: (host) => [get("/_sandbox/docs", async (c) => (await load()).serveControlDocs(host, c))],
};
