// The encoding is @peculiar/asn1-x509's: the shapes of RFC 5280 in plain JavaScript, which @peculiar/x509 and selfsigned
// stand on. @peculiar/x509 itself alters the global Reflect, here that of the user's tests; selfsigned brings it along;
// node-forge, and mkcert by it, signs with RSA keys only, which take a start ten times as long to make. Keys and
// signatures are Node's own.
import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { isIP } from "node:net";
import { domainToASCII } from "node:url";
import { AsnConvert, OctetString } from "@peculiar/asn1-schema";
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  AuthorityKeyIdentifier,
  BasicConstraints,
  Certificate,
  ExtendedKeyUsage,
  Extension,
  Extensions,
  GeneralName,
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectAltName,
  id_ce_subjectKeyIdentifier,
  id_kp_serverAuth,
  KeyIdentifier,
  KeyUsage,
  KeyUsageFlags,
  Name,
  RelativeDistinguishedName,
  SubjectAlternativeName,
  SubjectKeyIdentifier,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
} from "@peculiar/asn1-x509";

const DAY_MS = 86_400_000;
const COMMON_NAME = "2.5.4.3";
const ECDSA_WITH_SHA256 = "1.2.840.10045.4.3.2";

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
  const issuer = commonName(`payments-sandbox ${hex(authority.id).slice(0, 8)}`);
  const common = { issuer, issuerKey: authority.privateKey, nowMs };
  const ca = certificate({
    ...common,
    subject: issuer,
    of: authority,
    extensions: [
      extension(id_ce_basicConstraints, new BasicConstraints({ cA: true, pathLenConstraint: 0 }), true),
      extension(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign), true),
      extension(id_ce_subjectKeyIdentifier, new SubjectKeyIdentifier(authority.id)),
    ],
  });
  const cert = certificate({
    ...common,
    subject: commonName("payments-sandbox"),
    of: server,
    extensions: [
      extension(id_ce_basicConstraints, new BasicConstraints(), true),
      extension(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.digitalSignature), true),
      extension(id_ce_extKeyUsage, new ExtendedKeyUsage([id_kp_serverAuth])),
      extension(id_ce_subjectAltName, new SubjectAlternativeName(names.map(generalName))),
      extension(id_ce_subjectKeyIdentifier, new SubjectKeyIdentifier(server.id)),
      extension(
        id_ce_authorityKeyIdentifier,
        new AuthorityKeyIdentifier({ keyIdentifier: new KeyIdentifier(authority.id) }),
      ),
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
  readonly subject: Name;
  readonly of: Pair;
  readonly issuer: Name;
  readonly issuerKey: KeyObject;
  readonly nowMs: number;
  readonly extensions: readonly Extension[];
}): string {
  const { subject, of, issuer, issuerKey, nowMs, extensions } = asked;
  const algorithm = new AlgorithmIdentifier({ algorithm: ECDSA_WITH_SHA256 });
  // Of a key made at chance, so it is no other certificate's; positive, as it has to be.
  const serial = Buffer.concat([Buffer.of(1), of.id.subarray(0, 15)]);
  const tbsCertificate = new TBSCertificate({
    version: Version.v3,
    serialNumber: bytes(serial),
    signature: algorithm,
    issuer,
    // The clock of a container or another machine may be behind; no browser takes more than 398 days.
    validity: new Validity({
      notBefore: new Date(nowMs - DAY_MS),
      notAfter: new Date(nowMs + 365 * DAY_MS),
    }),
    subject,
    subjectPublicKeyInfo: AsnConvert.parse(of.publicKey, SubjectPublicKeyInfo),
    extensions: new Extensions([...extensions]),
  });
  const signed = Buffer.from(AsnConvert.serialize(tbsCertificate));
  const whole = AsnConvert.serialize(
    new Certificate({
      tbsCertificate,
      signatureAlgorithm: algorithm,
      signatureValue: bytes(sign("sha256", signed, issuerKey)),
    }),
  );
  const lines =
    Buffer.from(whole)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

function extension(id: string, value: object, critical = false): Extension {
  return new Extension({ extnID: id, critical, extnValue: new OctetString(AsnConvert.serialize(value)) });
}

function commonName(text: string): Name {
  const value = new AttributeValue({ utf8String: text });
  return new Name([new RelativeDistinguishedName([new AttributeTypeAndValue({ type: COMMON_NAME, value })])]);
}

function generalName(name: string): GeneralName {
  switch (isIP(name)) {
    case 4:
      return new GeneralName({ iPAddress: name });
    case 6:
      return new GeneralName({ iPAddress: plainIpv6(name) });
    default:
      return new GeneralName({ dNSName: domainToASCII(name) });
  }
}

/** As the encoding reads it: without a zone, and in hexadecimal to its end. */
function plainIpv6(address: string): string {
  return new URL(`http://[${address.replace(/%.*/, "")}]`).hostname.slice(1, -1);
}

function hex(of: Buffer): string {
  return of.toString("hex");
}

/** In a buffer of its own, as the encoding wants them. */
function bytes(of: Buffer): ArrayBuffer {
  return Uint8Array.from(of).buffer;
}
