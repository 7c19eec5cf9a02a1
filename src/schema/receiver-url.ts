export const WEBHOOK_URL_MESSAGE =
  "must be an http or https URL, such as http://localhost:3000/webhooks, and not a cloud's metadata address";

/** A port of this machine, as it is written in the place of an address: `3000`, `3000/webhooks`. */
const PORT_ALONE = /^[1-9]\d{0,4}(?=[/?#]|$)/;

/**
 * The address of a receiver, as a URL; a missing scheme means http, and a number alone a port of this machine.
 * Undefined for any other scheme, and for where a cloud tells a machine its own secrets.
 */
export function webhookUrl(text: string): string | undefined {
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
  const withScheme = hasScheme ? text : `http://${PORT_ALONE.test(text) ? "localhost:" : ""}${text}`;
  if (!/^https?:\/\//i.test(withScheme) || !URL.canParse(withScheme)) return undefined;
  const url = new URL(withScheme);
  // `mailto:ada@shop.test` and `http:/localhost` name a scheme too, `/hooks` no host: nobody means what they would be.
  if (!hasScheme && (url.username !== "" || /^[/\\?#]|^[^/?#]*:([/?#]|$)/.test(text))) return undefined;
  return isMetadataHost(url.hostname) || isNumberForAddress(withScheme, url) ? undefined : url.href;
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

/** Single addresses of metadata services, beside the link-local ones: EC2, Google, Alibaba, Azure's host. */
const METADATA_ADDRESSES = new Set(["fd00:ec2::254", "fd20:ce::254", "100.100.100.200", "168.63.129.16"]);

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
  const within = /^(?:::ffff:|::|64:ff9b::|2002:)([0-9a-f]{1,4}):([0-9a-f]{1,4})(?:$|::|:)/.exec(ipv6);
  return (
    /^fe[89ab][0-9a-f]:/.test(ipv6) ||
    METADATA_ADDRESSES.has(ipv6) ||
    (within !== null && isMetadataIpv4(dotted(within[1]!, within[2]!)))
  );
}

function isMetadataIpv4(address: string): boolean {
  return /^169\.254\.\d+\.\d+$/.test(address) || METADATA_ADDRESSES.has(address);
}

/** The IPv4 address that stands in two groups of an IPv6 address: mapped, compatible, NAT64 or 6to4. */
function dotted(high: string, low: string): string {
  const bytes = [Number.parseInt(high, 16), Number.parseInt(low, 16)].flatMap((one) => [one >> 8, one & 255]);
  return bytes.join(".");
}
