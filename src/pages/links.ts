/** Where the page and its actions are, as the answer at hand has to write them. */
export interface Links {
  readonly page: string;
  readonly waiting: string;
  readonly status: string;
  /** The dashboard of a namespace. */
  dashboard(namespace: string): string;
  action(name: "method" | "paid" | "cancel" | "outcome"): string;
}

/**
 * All relative, so that they hold behind a public address with a path of its own too. An answer to
 * `/checkout/ID/ACTION` stands one step further down than the page itself.
 */
export function linksFrom(checkoutId: string, stands: "page" | "action"): Links {
  const page = `${stands === "page" ? "" : "../"}${encodeURIComponent(checkoutId)}`;
  return {
    page,
    waiting: `${page}?waiting=1`,
    status: `${page}/status`,
    dashboard: (namespace) =>
      `${stands === "page" ? "" : "../"}../_sandbox/dashboard/${encodeURIComponent(namespace)}`,
    action: (name) => `${page}/${name}`,
  };
}
