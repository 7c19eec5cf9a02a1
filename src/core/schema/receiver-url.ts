import { LONGEST } from "./lengths.js";

export const WEBHOOK_URL_MESSAGE =
  "must be an http or https URL such as http://localhost:3000/webhooks (no cloud's metadata address)";

/** A port of this machine, as it is written in the place of an address: `3000`, `3000/webhooks`. */
const PORT_ALONE = /^[1-9]\d{0,4}(?=[/?#]|$)/;

/**
 * The address of a receiver, as a URL; a missing scheme means http, and a number alone a port of this machine.
 * Undefined for any other scheme, and for where a cloud tells a machine its own secrets.
 */
export function webhookUrl(text: string): string | undefined {
  return text.length > LONGEST.url ? undefined : receiverUrl(text);
}

function receiverUrl(text: string): string | undefined {
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
  const withScheme = hasScheme ? text : `http://${PORT_ALONE.test(text) ? "localhost:" : ""}${text}`;
  if (!/^https?:\/\//i.test(withScheme) || !URL.canParse(withScheme)) return undefined;
  const url = new URL(withScheme);
  // `mailto:ada@shop.test` and `http:/localhost` name a scheme too, `/hooks` no host: nobody means what they would be.
  if (!hasScheme && (url.username !== "" || /^[/\\?#]|^[^/?#]*:([/?#]|$)/.test(text))) return undefined;
  return isMetadataHost(url.hostname) || isNumberForAddress(withScheme, url) ? undefined : url.href;
}

/** The scheme of endpoints whose deliveries go to a function of this process: nothing a user can register. */
export const IN_PROCESS_SCHEME = "in-process:";

/** Whether it is an address as `webhookUrl` makes one, or that of a function of this process. */
export function isReceiverUrl(url: string): boolean {
  return receiverUrl(url) === url || /^in-process:\/\/handler-\d+$/.test(url);
}

/**
 * A URL's parser takes `3000` for the host 0.0.11.184 and `127.1` for 127.0.0.1. Whoever writes such a thing means a
 * port, or made a slip: an IPv4 address is written as four numbers.
 */
function isNumberForAddress(text: string, { hostname }: URL): boolean {
  if (!/^\d+(\.\d+){3}$/.test(hostname)) return false;
  const [, authority] = /^[^:]*:\/\/([^/\\?#]*)/.exec(text)!;
  const host = authority!.slice(authority!.lastIndexOf("@") + 1).replace(/:\d*$/, "");
  return host.replace(/\.$/, "") !== hostname;
}

/** Names by which clouds' metadata services are known. */
const METADATA_NAMES = new Set([
  "metadata",
  "metadata.google.internal",
  "metadata.goog",
  "instance-data",
  "instance-data.ec2.internal",
]);

/** Single addresses of metadata services, beside the link-local ones: EC2, EKS, Google, Alibaba, Azure's host, Oracle. */
const METADATA_ADDRESSES = new Set([
  "fd00:ec2::254",
  "fd00:ec2::23",
  "fd20:ce::254",
  "100.100.100.200",
  "168.63.129.16",
  "192.0.0.192",
]);

/**
 * Private hosts are fine, this is a local tool; these are nobody's webhook receiver. `hostname` is a URL's: its
 * parser has already brought numbers written otherwise into one form.
 */
function isMetadataHost(hostname: string): boolean {
  const name = hostname.replace(/\.+$/, "");
  return METADATA_NAMES.has(name) || isMetadataAddress(name.replace(/^\[(.*)\]$/, "$1"));
}

/** Whether an IP address, as a URL or a resolver writes it, is one of a cloud's metadata service. */
export function isMetadataAddress(address: string): boolean {
  const [plain] = address.toLowerCase().split("%");
  if (!plain!.includes(":")) return isMetadataIpv4(plain!);
  if (!URL.canParse(`http://[${plain}]/`)) return false;
  const ipv6 = new URL(`http://[${plain}]/`).hostname.slice(1, -1);
  return (
    /^fe[89ab][0-9a-f]:/.test(ipv6) ||
    METADATA_ADDRESSES.has(ipv6) ||
    ipv4Within(bytesOf(ipv6)).some(isMetadataIpv4)
  );
}

function isMetadataIpv4(address: string): boolean {
  return /^169\.254\.\d+\.\d+$/.test(address) || METADATA_ADDRESSES.has(address);
}

/** The sixteen bytes of an IPv6 address as a URL writes it. */
function bytesOf(ipv6: string): number[] {
  const [head = [], tail = []] = ipv6.split("::").map((part) => (part === "" ? [] : part.split(":")));
  const gap = Array<string>(8 - head.length - tail.length).fill("0");
  return [...head, ...gap, ...tail].flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 255];
  });
}

/**
 * How IPv6 addresses carry an IPv4 one: what they begin with, and which of their bytes it is. Mapped, compatible,
 * translated, 6to4, NAT64, and NAT64 of one's own network, whose prefix may be 96, 64, 56 or 48 bits long.
 */
const CARRIERS = [
  { prefix: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff], at: [[12, 13, 14, 15]] },
  { prefix: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], at: [[12, 13, 14, 15]] },
  { prefix: [0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0], at: [[12, 13, 14, 15]] },
  { prefix: [0x20, 0x02], at: [[2, 3, 4, 5]] },
  { prefix: [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0], at: [[12, 13, 14, 15]] },
  {
    prefix: [0, 0x64, 0xff, 0x9b, 0, 1],
    at: [
      [12, 13, 14, 15],
      [9, 10, 11, 12],
      [7, 9, 10, 11],
      [6, 7, 9, 10],
    ],
  },
] as const;

function ipv4Within(bytes: readonly number[]): string[] {
  return CARRIERS.filter(({ prefix }) => prefix.every((byte, place) => bytes[place] === byte)).flatMap(
    ({ at }) => at.map((places) => places.map((place) => bytes[place]).join(".")),
  );
}
