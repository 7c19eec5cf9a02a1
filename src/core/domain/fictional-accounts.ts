import { createHash } from "node:crypto";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { base58, bech32, hex } from "@scure/base";

/*
 * Wallet addresses with valid checksums that belong to no wallet.
 *
 * Tron and Ethereum have one address format for all networks, so a real wallet can send to any well-formed address.
 * Money sent to our addresses is lost, so they begin with 12 bytes that look fictional. 8 bytes of the digest follow.
 * An address is the last 20 bytes of a Keccak-256 hash, so finding a key for the 12 bytes takes about 2^96 tries.
 *
 * Bitcoin has a separate address format for its test network, which real wallets refuse.
 */
const DIGEST_BYTES = 8;

/** First 12 bytes of an Ethereum address: 0xdeaddead…, as in the usual burn addresses. */
const ETHEREUM_PREFIX = "dead".repeat(6);

/** Tron's version byte 0x41 and 12 bytes that read as TSandboxFakeMoney in base58. */
const TRON_PREFIX = "41b63ca4e67ad7abb2be09e9a8";

/** Derives an address from a digest of 32 bytes. */
export function deriveWalletAddress(network: string, digest: Uint8Array): string {
  switch (network) {
    case "TRC20":
      return base58Check(hex.decode(TRON_PREFIX + hex.encode(digest.subarray(0, DIGEST_BYTES))));
    case "ERC20":
    case "ETH":
      return toChecksumAddress(ETHEREUM_PREFIX + hex.encode(digest.subarray(0, DIGEST_BYTES)));
    case "BTC":
      // Version 0 with a 20-byte program: pay to the hash of a public key (BIP 173).
      return bech32.encode("tb", [0, ...bech32.toWords(digest.subarray(0, 20))]);
    default:
      // A network from the user's fixtures: its address format is unknown.
      return `sandbox-${network}-${hex.encode(digest.subarray(0, 20))}`;
  }
}

/** Adds 0x and the checksum (EIP-55) to 40 lower-case hex digits. */
export function toChecksumAddress(address: string): string {
  const hash = hex.encode(keccak_256(new TextEncoder().encode(address)));
  return `0x${[...address].map((digit, i) => (hash[i]! >= "8" ? digit.toUpperCase() : digit)).join("")}`;
}

function base58Check(payload: Uint8Array): string {
  const checksum = sha256(sha256(payload)).subarray(0, 4);
  return base58.encode(Uint8Array.of(...payload, ...checksum));
}

// Uses Node's hash, because a library's SHA-256 would cost loading time.
function sha256(bytes: Uint8Array): Uint8Array {
  return createHash("sha256").update(bytes).digest();
}

/** Usual number of digits in a country's account numbers. */
const ACCOUNT_DIGITS: Readonly<Record<string, number>> = { GH: 13, KE: 12, TZ: 13, UG: 13, US: 12, ZA: 11 };

/**
 * Returns an account number at a fictional bank. No country reserves account numbers for examples, so the number may
 * exist at a real bank. Only the name of the bank shows that the account is fictional.
 *
 * A Nigerian number (NUBAN) has nine digits and a check digit. The check digit is computed for the bank code 999,
 * which no bank has.
 * Other numbers end with a Luhn digit (ISO/IEC 7812-1), because check digits outside Nigeria differ by bank.
 */
export function deriveBankAccountNumber(country: string | null, digest: Uint8Array): string {
  if (country === "NG") {
    const serial = decimalDigits(digest, 9);
    return serial + nubanCheckDigit(`999${serial}`);
  }
  const body = decimalDigits(digest, (ACCOUNT_DIGITS[country ?? ""] ?? 10) - 1);
  return body + luhnCheckDigit(body);
}

/** Central Bank of Nigeria, NUBAN, 2010: weights 3, 7, 3 over bank code and serial number. */
function nubanCheckDigit(codeAndSerial: string): string {
  const sum = [...codeAndSerial].reduce(
    (total, digit, i) => total + Number(digit) * (i % 3 === 1 ? 7 : 3),
    0,
  );
  return String((10 - (sum % 10)) % 10);
}

function luhnCheckDigit(body: string): string {
  const sum = [...body].reverse().reduce((total, digit, i) => {
    const weighted = Number(digit) * (i % 2 === 0 ? 2 : 1);
    return total + (weighted > 9 ? weighted - 9 : weighted);
  }, 0);
  return String((10 - (sum % 10)) % 10);
}

/** Area codes that reserve 555-0100 to 555-0199 for fiction. Toll-free codes reserve only one number. */
const US_AREA_CODES = ["202", "212", "303", "312", "404", "512", "617", "702"] as const;

/** Number of digits in a national number without the trunk prefix 0, by dialling code. Default: nine. */
const NATIONAL_DIGITS: Readonly<Record<string, number>> = { "+234": 10 };

/** Dialling code that no country has, for rails without a country. */
const NO_COUNTRY = "+999";

/**
 * Returns the number a customer pays to: E.164, of the country's usual length, assigned to no subscriber.
 *
 * North America reserves 555-0100 to 555-0199 for fiction. African countries reserve nothing, so all other national
 * numbers begin with 000: no operator can assign them, because 0 is the trunk prefix. Libraries for phone numbers call
 * them possible but not valid.
 */
export function deriveMerchantPhoneNumber(diallingCode: string | undefined, digest: Uint8Array): string {
  const code = diallingCode ?? NO_COUNTRY;
  if (code === "+1") {
    const area = US_AREA_CODES[digest[0]! % US_AREA_CODES.length]!;
    return `+1${area}55501${decimalDigits(digest.subarray(1), 2)}`;
  }
  return `${code}000${decimalDigits(digest, (NATIONAL_DIGITS[code] ?? 9) - 3)}`;
}

/** Derives up to 13 evenly distributed decimal digits from the first 8 bytes. */
function decimalDigits(bytes: Uint8Array, count: number): string {
  const end = 10 ** count;
  let value = 0;
  for (let i = 0; i < 8; i++) value = (value * 256 + bytes[i]!) % end;
  return String(value).padStart(count, "0");
}
