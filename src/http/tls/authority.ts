// By no library: the package and the one file have a megabyte each. Packed, @peculiar/asn1-x509 takes 45 kB of it (twice, as the
// library is built twice: 1.03 MB), node-forge 48 kB and RSA keys only, @peculiar/x509 83 kB and the global Reflect altered. Of what
// they do, two certificates of one form need what stands here and in der.ts. Keys and signatures are Node's own.
import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { isIP } from "node:net";
import { domainToASCII } from "node:url";
import { bits, integer, octets, oid, pem, sequence, setOf, tagged, time, truth, utf8 } from "./der.js";

const DAY_MS = 86_400_000;
const COMMON_NAME = oid("2.5.4.3");
const SERVER_AUTH = oid("1.3.6.1.5.5.7.3.1");
/** ECDSA with SHA-256. */
const ALGORITHM = sequence(oid("1.2.840.10045.4.3.2"));

/** The extensions of RFC 5280, 4.2.1. */
const EXTENSIONS = {
  subjectKeyIdentifier: oid("2.5.29.14"),
  keyUsage: oid("2.5.29.15"),
  subjectAltName: oid("2.5.29.17"),
  basicConstraints: oid("2.5.29.19"),
  authorityKeyIdentifier: oid("2.5.29.35"),
  extKeyUsage: oid("2.5.29.37"),
} as const;

/** To sign certificates, and lists of those revoked. */
const SIGNS_CERTIFICATES = bits(Buffer.of(0b0000_0110), 1);
/** To sign what is agreed on when hands are shaken. */
const SIGNS = bits(Buffer.of(0b1000_0000), 7);

/** All of it PEM. */
export interface Certificates {
  /** The authority's certificate. Its key is gone: nothing else can ever be signed with it. */
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** An authority, and a certificate of its making for these names and addresses. */
export function makeCertificates(names: readonly string[], nowMs: number): Certificates {
  const authority = keyPair();
  const server = keyPair();
  // Two authorities of one name would be taken for each other where both are trusted.
  const issuer = commonName(`payments-sandbox ${authority.id.toString("hex").slice(0, 8)}`);
  const common = { issuer, issuerKey: authority.privateKey, nowMs };
  const ca = certificate({
    ...common,
    subject: issuer,
    of: authority,
    extensions: [
      extension("basicConstraints", sequence(truth(), integer(Buffer.of(0))), { isCritical: true }),
      extension("keyUsage", SIGNS_CERTIFICATES, { isCritical: true }),
      extension("subjectKeyIdentifier", octets(authority.id)),
    ],
  });
  const cert = certificate({
    ...common,
    subject: commonName("payments-sandbox"),
    of: server,
    extensions: [
      extension("basicConstraints", sequence(), { isCritical: true }),
      extension("keyUsage", SIGNS, { isCritical: true }),
      extension("extKeyUsage", sequence(SERVER_AUTH)),
      extension("subjectAltName", sequence(...names.map(generalName))),
      extension("subjectKeyIdentifier", octets(server.id)),
      extension("authorityKeyIdentifier", sequence(tagged(0x80, authority.id))),
    ],
  });
  return { ca, cert, key: server.privateKey.export({ type: "pkcs8", format: "pem" }) as string };
}

interface Pair {
  readonly publicKey: Buffer;
  readonly privateKey: KeyObject;
  /** Its key identifier. */
  readonly id: Buffer;
}

function keyPair(): Pair {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const der = publicKey.export({ type: "spki", format: "der" });
  return { publicKey: der, privateKey, id: createHash("sha256").update(der).digest().subarray(0, 20) };
}

function certificate(asked: {
  readonly subject: Buffer;
  readonly of: Pair;
  readonly issuer: Buffer;
  readonly issuerKey: KeyObject;
  readonly nowMs: number;
  readonly extensions: readonly Buffer[];
}): string {
  const { subject, of, issuer, issuerKey, nowMs, extensions } = asked;
  const version3 = tagged(0xa0, integer(Buffer.of(2)));
  // Of a key made at chance, so it is no other certificate's; positive, as it has to be.
  const serial = integer(Buffer.concat([Buffer.of(1), of.id.subarray(0, 15)]));
  // The clock of a container or another machine may be behind; no browser takes more than 398 days.
  const validity = sequence(time(nowMs - DAY_MS), time(nowMs + 365 * DAY_MS));
  const content = [version3, serial, ALGORITHM, issuer, validity, subject, of.publicKey];
  const signed = sequence(...content, tagged(0xa3, sequence(...extensions)));
  return pem("CERTIFICATE", sequence(signed, ALGORITHM, bits(sign("sha256", signed, issuerKey))));
}

function extension(name: keyof typeof EXTENSIONS, value: Buffer, { isCritical = false } = {}): Buffer {
  return sequence(EXTENSIONS[name], ...(isCritical ? [truth()] : []), octets(value));
}

function commonName(text: string): Buffer {
  return sequence(setOf(sequence(COMMON_NAME, utf8(text))));
}

function generalName(name: string): Buffer {
  switch (isIP(name)) {
    case 4:
      return tagged(0x87, Buffer.from(name.split(".").map(Number)));
    case 6:
      return tagged(0x87, ipv6(name));
    default:
      return tagged(0x82, Buffer.from(domainToASCII(name)));
  }
}

/** The sixteen bytes of an address, however it is written. */
function ipv6(address: string): Buffer {
  const plain = new URL(`http://[${address.replace(/%.*/, "")}]`).hostname.slice(1, -1);
  const [head = "", tail] = plain.split("::");
  const groups = (text: string | undefined): string[] => (text ? text.split(":") : []);
  const [before, after] = [groups(head), groups(tail)];
  const zeros = Array<string>(8 - before.length - after.length).fill("0");
  return Buffer.from([...before, ...zeros, ...after].map((one) => one.padStart(4, "0")).join(""), "hex");
}
