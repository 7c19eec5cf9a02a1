/**
 * The HTML pages: checkout for customers, dashboard for developers, reference for API documentation. The server mounts
 * their routes. Pages call operations of the control API and the service; they know no engine and no namespace.
 */
import type { Pages } from "../server/http/app.js";
import * as families from "./page-families.js";
import type { PageFamily } from "./page-route.js";

const FAMILIES: readonly PageFamily[] = Object.values(families);

export const PAGES: Pages = {
  service: (host) => FAMILIES.flatMap(({ service }) => service?.(host) ?? []),
  control: (host) => FAMILIES.flatMap(({ control }) => control?.(host) ?? []),
};
