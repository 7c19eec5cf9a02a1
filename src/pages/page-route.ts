import type { PageRoute } from "../server/http/app.js";
import type { PageHost } from "../server/http/page-host.js";

/** Pages that belong together, in a folder whose only door this is. Their code is loaded with the first request. */
export interface PageFamily {
  /** Routes beside those of the service. */
  readonly service?: (host: PageHost) => PageRoute[];
  /** Routes below `/_sandbox`. */
  readonly control?: (host: PageHost) => PageRoute[];
}

export function get(path: string, handle: PageRoute["handle"]): PageRoute {
  return { method: "GET", path, handle };
}
