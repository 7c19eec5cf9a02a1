export const OTHER_SITE = "Calls from another site's pages are refused";

/**
 * Whether a page of another site sent it. A browser tells by Sec-Fetch-Site, where it sends it (https and
 * loopback), or else by Origin; other programs say nothing and are let through.
 */
export function isForeign(request: Request, publicUrl: string | undefined): boolean {
  const site = request.headers.get("sec-fetch-site");
  if (site !== null) return site !== "same-origin" && site !== "none";
  const origin = request.headers.get("origin");
  if (origin === null) return false;
  if (!URL.canParse(origin)) return true;
  const { host } = new URL(origin);
  return host !== new URL(request.url).host && (publicUrl === undefined || host !== new URL(publicUrl).host);
}

/**
 * Whether a page of another site has it loaded as a part of itself: by a script, as an image, in a frame. Following
 * a link from there is a person's own doing.
 */
export function isEmbedded(header: (name: string) => string | null): boolean {
  if (header("sec-fetch-site") !== "cross-site") return false;
  const destination = header("sec-fetch-dest") ?? "document";
  return header("sec-fetch-mode") !== "navigate" || destination !== "document";
}
