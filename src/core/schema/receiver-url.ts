import { MAX_LENGTHS } from "./schema-checks.js";

export const WEBHOOK_URL_MESSAGE =
  "must be an http or https URL such as http://localhost:3000/webhooks, and no cloud metadata address";

/** A local port in place of an address: `3000`, `3000/webhooks`. */
const PORT_ALONE = /^[1-9]\d{0,4}(?=[/?#]|$)/;

/**
 * Turns a receiver's address into a URL: `3000` becomes `http://localhost:3000/`. Returns undefined for schemes other
 * than http and https, and for cloud metadata services, which hand out the machine's credentials.
 */
export function normalizeWebhookUrl(text: string): string | undefined {
  return text.length > MAX_LENGTHS.url ? undefined : receiverUrl(text);
}

function receiverUrl(text: string): string | undefined {
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
  const withScheme = hasScheme ? text : `http://${PORT_ALONE.test(text) ? "localhost:" : ""}${text}`;
  if (!/^https?:\/\//i.test(withScheme) || !URL.canParse(withScheme)) return undefined;
  const url = new URL(withScheme);
  // A prefix `http://` would change the meaning of `mailto:ada@shop.test`, `http:/localhost` and `/hooks`.
  if (!hasScheme && (url.username !== "" || /^[/\\?#]|^[^/?#]*:([/?#]|$)/.test(text))) return undefined;
  return isMetadataHost(url.hostname) || hasShorthandAddress(withScheme, url) ? undefined : url.href;
}

/** Scheme of endpoints that are functions of this process; users cannot register such URLs. */
export const IN_PROCESS_SCHEME = "in-process:";

/** Returns true for a normalized URL, and for the URL of a function of this process. */
export function isNormalizedWebhookUrl(url: string): boolean {
  return receiverUrl(url) === url || /^in-process:\/\/handler-\d+$/.test(url);
}

/** Finds hosts such as `3000` and `127.1`, which URL parsers expand to 0.0.11.184 and 127.0.0.1: probably typos. */
function hasShorthandAddress(text: string, { hostname }: URL): boolean {
  if (!/^\d+(\.\d+){3}$/.test(hostname)) return false;
  const [, authority] = /^[^:]*:\/\/([^/\\?#]*)/.exec(text)!;
  const host = authority!.slice(authority!.lastIndexOf("@") + 1).replace(/:\d*$/, "");
  return host.replace(/\.$/, "") !== hostname;
}

const METADATA_NAMES = new Set([
  "metadata",
  "metadata.google.internal",
  "metadata.goog",
  "instance-data",
  "instance-data.ec2.internal",
]);

/** Addresses of metadata services that are not link-local, such as the addresses of EC2, Google and Oracle. */
const METADATA_ADDRESSES = new Set([
  "fd00:ec2::254",
  "fd00:ec2::23",
  "fd20:ce::254",
  "100.100.100.200",
  "168.63.129.16",
  "192.0.0.192",
]);

/** Returns true for cloud metadata services, not for private hosts. Expects the `hostname` of a parsed URL. */
function isMetadataHost(hostname: string): boolean {
  const name = hostname.replace(/\.+$/, "");
  return METADATA_NAMES.has(name) || isCloudMetadataAddress(name.replace(/^\[(.*)\]$/, "$1"));
}

/** Returns true for the IP address of a cloud metadata service. Accepts addresses from URLs and resolvers. */
export function isCloudMetadataAddress(address: string): boolean {
  const [plain] = address.toLowerCase().split("%");
  if (!plain!.includes(":")) return isMetadataIpv4(plain!);
  if (!URL.canParse(`http://[${plain}]/`)) return false;
  const ipv6 = new URL(`http://[${plain}]/`).hostname.slice(1, -1);
  return (
    /^fe[89ab][0-9a-f]:/.test(ipv6) ||
    METADATA_ADDRESSES.has(ipv6) ||
    embeddedIpv4(bytesOf(ipv6)).some(isMetadataIpv4)
  );
}

function isMetadataIpv4(address: string): boolean {
  return /^169\.254\.\d+\.\d+$/.test(address) || METADATA_ADDRESSES.has(address);
}

/** Returns the 16 bytes of an IPv6 address that a URL parser has normalized. */
function bytesOf(ipv6: string): number[] {
  const [head = [], tail = []] = ipv6.split("::").map((part) => (part === "" ? [] : part.split(":")));
  const gap = Array<string>(8 - head.length - tail.length).fill("0");
  return [...head, ...gap, ...tail].flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 255];
  });
}

/**
 * IPv6 prefixes that embed an IPv4 address, with the positions of the four bytes. In order: mapped, compatible,
 * translated, 6to4, NAT64, and local NAT64 with four prefix lengths.
 */
const IPV4_EMBEDDINGS = [
  { prefix: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff], positions: [[12, 13, 14, 15]] },
  { prefix: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], positions: [[12, 13, 14, 15]] },
  { prefix: [0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0], positions: [[12, 13, 14, 15]] },
  { prefix: [0x20, 0x02], positions: [[2, 3, 4, 5]] },
  { prefix: [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0], positions: [[12, 13, 14, 15]] },
  {
    prefix: [0, 0x64, 0xff, 0x9b, 0, 1],
    positions: [
      [12, 13, 14, 15],
      [9, 10, 11, 12],
      [7, 9, 10, 11],
      [6, 7, 9, 10],
    ],
  },
] as const;

function embeddedIpv4(bytes: readonly number[]): string[] {
  return IPV4_EMBEDDINGS.filter(({ prefix }) => prefix.every((byte, index) => bytes[index] === byte)).flatMap(
    ({ positions }) => positions.map((indexes) => indexes.map((index) => bytes[index]).join(".")),
  );
}

/** Begins the reason why a delivery waits for its receiver. */
export const NOTHING_LISTENS = "nothing listens";
