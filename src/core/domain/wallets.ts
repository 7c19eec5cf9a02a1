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
