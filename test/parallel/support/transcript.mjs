/** Headers that describe the response, not its connection. */
const HEADERS = [
  "sandbox-now",
  "ratelimit",
  "ratelimit-policy",
  "retry-after",
  "idempotent-replayed",
  "location",
];

/** Durations and wall-clock times, which differ between runs. */
const WALL_TIME = [
  [/"duration_ms":[\d.]+/g, '"duration_ms":0'],
  [/"webhook-timestamp":"\d+"/g, '"webhook-timestamp":"0"'],
  [/"webhook-signature":"[^"]+"/g, '"webhook-signature":"v1"'],
  [/"sent_at":"[^"]+"/g, '"sent_at":""'],
  [/"(wall_ms|p50_ms|p95_ms)":\d+/g, '"$1":0'],
];

/** Records every response as text, without addresses. */
export class Transcript {
  lines = [];
  #addresses;

  /** @param {Record<string, string>} addresses name for each base URL */
  constructor(addresses) {
    this.#addresses = Object.entries(addresses);
  }

  plain(text) {
    let plain = text;
    for (const [name, url] of this.#addresses)
      plain = plain.replaceAll(url, `http://${name}`).replaceAll(new URL(url).host, name);
    for (const [pattern, replacement] of WALL_TIME) plain = plain.replace(pattern, replacement);
    return plain;
  }

  note(text) {
    this.lines.push(this.plain(text));
  }

  answer(line, response, text) {
    const headers = HEADERS.flatMap((name) => {
      const value = response.headers.get(name);
      return value === null ? [] : [`${name}: ${value}`];
    });
    this.note(`${line}\n  ${response.status} ${headers.join(", ")}\n  ${text}`);
  }
}
