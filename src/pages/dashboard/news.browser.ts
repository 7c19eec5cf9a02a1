const NAME = "payments-sandbox dashboard";
const POLL_MS = 2_000;

/**
 * Calls `onNews` after each change of a namespace. One tab per browser listens to the event stream, because a browser
 * opens only six connections per host, and tells the other tabs of its namespace. Tabs of other namespaces, and
 * browsers without Web Locks, poll instead.
 */
export function followNews(namespace: string, streamUrl: URL, isOffline: () => boolean, onNews: () => void) {
  const channel = new BroadcastChannel(NAME);
  let isTold = false;
  const listen = () =>
    new Promise<never>(() => {
      isTold = true;
      channel.postMessage({ serves: namespace });
      channel.onmessage = ({ data }) => {
        if (data.asks === namespace) channel.postMessage({ serves: namespace });
      };
      const source = new EventSource(streamUrl);
      const tell = () => {
        channel.postMessage({ news: namespace });
        onNews();
      };
      for (const name of ["open", "news", "missed"]) source.addEventListener(name, tell);
      source.addEventListener("error", onNews);
    });
  channel.onmessage = ({ data }) => {
    if (data.serves !== undefined) isTold = data.serves === namespace;
    if (data.news === namespace) onNews();
  };
  channel.postMessage({ asks: namespace });
  if ("locks" in navigator) void navigator.locks.request(NAME, listen);
  setInterval(() => {
    if ((!isTold || isOffline()) && document.visibilityState === "visible") onNews();
  }, POLL_MS);
}
