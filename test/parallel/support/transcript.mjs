/** Headers of an answer that belong to what was answered, not to the connection it came over. */
const HEADERS = [
  "sandbox-now",
  "ratelimit",
  "ratelimit-policy",
  "retry-after",
  "idempotent-replayed",
  "location",
];

/** What says how long something took, or when it was by the wall's clock: no run is like another in these. */
const WALL_TIME = [
  [/"duration_ms":[\d.]+/g, '"duration_ms":0'],
  [/"webhook-timestamp":"\d+"/g, '"webhook-timestamp":"0"'],
  [/"webhook-signature":"[^"]+"/g, '"webhook-signature":"v1"'],
  [/"sent_at":"[^"]+"/g, '"sent_at":""'],
  [/"wall_ms":\d+/g, '"wall_ms":0'],
];

/** Everything a worker was told, as text to be compared byte by byte. Addresses are replaced: ports differ. */
export class Transcript {
  lines = [];
  #addresses;

  /** @param {Record<string, string>} addresses a name for each base URL */
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
