// Makes X.509 certificates: @peculiar/asn1-x509 encodes the structures of RFC 5280, Node makes keys and signatures.
// Packages not used: @peculiar/x509 and selfsigned change the global Reflect, also in the user's tests. node-forge and
// mkcert sign with RSA keys only, which take ten times as long to make at start.
import { createHash, generateKeyPairSync, type KeyObject, sign, X509Certificate } from "node:crypto";
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

/** Certificates and the server's key, in PEM. */
export interface Certificates {
  /** The authority's certificate. The authority can sign no further certificate, because its key is discarded. */
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** Makes a server certificate for the names and addresses, and the authority that signs the certificate. */
export function makeCertificates(names: readonly string[], nowMs: number): Certificates {
  const authority = makeKeyPair();
  const server = makeKeyPair();
  // A unique name: clients that trust two authorities of one name confuse them.
  const issuer = commonName(`payments-sandbox ${authority.id.toString("hex").slice(0, 8)}`);
  const signer = { issuer, issuerKey: authority.privateKey, nowMs };
  const ca = certificate(signer, issuer, authority, [
    extension(id_ce_basicConstraints, new BasicConstraints({ cA: true, pathLenConstraint: 0 }), true),
    extension(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign), true),
    extension(id_ce_subjectKeyIdentifier, new SubjectKeyIdentifier(authority.id)),
  ]);
  const keyIdentifier = new KeyIdentifier(authority.id);
  const cert = certificate(signer, commonName("payments-sandbox"), server, [
    extension(id_ce_basicConstraints, new BasicConstraints(), true),
    extension(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.digitalSignature), true),
    extension(id_ce_extKeyUsage, new ExtendedKeyUsage([id_kp_serverAuth])),
    extension(id_ce_subjectAltName, new SubjectAlternativeName(names.map(generalName))),
    extension(id_ce_subjectKeyIdentifier, new SubjectKeyIdentifier(server.id)),
    extension(id_ce_authorityKeyIdentifier, new AuthorityKeyIdentifier({ keyIdentifier })),
  ]);
  return { ca, cert, key: server.privateKey.export({ type: "pkcs8", format: "pem" }) as string };
}

type KeyPair = ReturnType<typeof makeKeyPair>;

/** A new key pair, with the key identifier as `id`. */
function makeKeyPair() {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const der = publicKey.export({ type: "spki", format: "der" });
  return { publicKey: der, privateKey, id: createHash("sha256").update(der).digest().subarray(0, 20) };
}

/** Makes a certificate in PEM. */
function certificate(
  { issuer, issuerKey, nowMs }: { issuer: Name; issuerKey: KeyObject; nowMs: number },
  subject: Name,
  keyPair: KeyPair,
  extensions: Extension[],
): string {
  const algorithm = new AlgorithmIdentifier({ algorithm: ECDSA_WITH_SHA256 });
  // The number is unique because the key is random, and positive because of the leading 1 (RFC 5280, section 4.1.2.2).
  const serial = Buffer.concat([Buffer.of(1), keyPair.id.subarray(0, 15)]);
  const tbsCertificate = new TBSCertificate({
    version: Version.v3,
    serialNumber: toArrayBuffer(serial),
    signature: algorithm,
    issuer,
    // The certificate is valid from yesterday, for clients whose clock is behind. Browsers accept 398 days at most.
    validity: new Validity({
      notBefore: new Date(nowMs - DAY_MS),
      notAfter: new Date(nowMs + 365 * DAY_MS),
    }),
    subject,
    subjectPublicKeyInfo: AsnConvert.parse(keyPair.publicKey, SubjectPublicKeyInfo),
    extensions: new Extensions(extensions),
  });
  const content = Buffer.from(AsnConvert.serialize(tbsCertificate));
  const der = AsnConvert.serialize(
    new Certificate({
      tbsCertificate,
      signatureAlgorithm: algorithm,
      signatureValue: toArrayBuffer(sign("sha256", content, issuerKey)),
    }),
  );
  return new X509Certificate(Buffer.from(der)).toString();
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
      return new GeneralName({ iPAddress: normalizeIpv6(name) });
    default:
      return new GeneralName({ dNSName: domainToASCII(name) });
  }
}

/** Removes the zone, and writes an embedded IPv4 address in hexadecimal, as the encoder requires. */
function normalizeIpv6(address: string): string {
  return new URL(`http://[${address.replace(/%.*/, "")}]`).hostname.slice(1, -1);
}

/** Copies the bytes, because a Buffer may share its ArrayBuffer with other Buffers. */
function toArrayBuffer(bytes: Buffer): ArrayBuffer {
  return Uint8Array.from(bytes).buffer;
}
