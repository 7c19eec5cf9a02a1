import { createHash } from "node:crypto";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { base58, bech32, hex } from "@scure/base";

/*
 * Wallet addresses that pass every checksum and still cannot take anybody's money.
 *
 * Tron and Ethereum have one address format for all their networks, so a well-formed address there is one that
 * a real wallet would send to. These addresses therefore begin with 12 fixed bytes. An address is the last 20
 * bytes of a Keccak-256 hash (of a public key, or of what a contract was made from), so nobody can choose
 * its bytes: they can only try keys until one fits. Hitting 96 chosen bits takes about 2^96 tries, and that gives
 * only some address with this beginning; the one address that was shown takes 2^160. Hence no person, exchange
 * or contract has one of these addresses, and a sandbox address is never a stranger's address by chance.
 * Nothing sent there can be taken out either, which is why the fixed bytes are chosen to be read by a human
 * and recognised as fictional. The remaining 8 bytes come from the digest and tell the addresses apart.
 *
 * Bitcoin has an address format for its test network, which wallets refuse on the real one.
 */
const DIGEST_BYTES = 8;

/** Reads as 0xdeaddead…, the usual sign of a burn address. */
const ETHEREUM_PREFIX = "dead".repeat(6);

/** The version byte 0x41 of Tron, then the 12 bytes whose base58 form begins with TSandboxFakeMoney. */
const TRON_PREFIX = "41b63ca4e67ad7abb2be09e9a8";

/** A wallet address on the network with a valid checksum, the same for the same digest (32 bytes). */
export function walletAddress(network: string, digest: Uint8Array): string {
  switch (network) {
    case "TRC20":
      return base58Check(hex.decode(TRON_PREFIX + hex.encode(digest.subarray(0, DIGEST_BYTES))));
    case "ERC20":
    case "ETH":
      return eip55(ETHEREUM_PREFIX + hex.encode(digest.subarray(0, DIGEST_BYTES)));
    case "BTC":
      // Version 0 with a 20-byte program: a payment to the hash of a public key (BIP 173), here of none.
      return bech32.encode("tb", [0, ...bech32.toWords(digest.subarray(0, 20))]);
    default:
      // A network of the user's own fixtures: its format is unknown, so nothing here pretends to be an address.
      return `sandbox-${network}-${hex.encode(digest.subarray(0, 20))}`;
  }
}

/** The checksummed form of an Ethereum address (EIP-55), given as 40 lower-case hex digits without 0x. */
export function eip55(address: string): string {
  const hash = hex.encode(keccak_256(new TextEncoder().encode(address)));
  return `0x${[...address].map((digit, i) => (hash[i]! >= "8" ? digit.toUpperCase() : digit)).join("")}`;
}

function base58Check(payload: Uint8Array): string {
  const checksum = sha256(sha256(payload)).subarray(0, 4);
  return base58.encode(Uint8Array.of(...payload, ...checksum));
}

// Node's own hash is a pure function like Keccak's and, unlike another copy of SHA-256, costs nothing to load.
function sha256(bytes: Uint8Array): Uint8Array {
  return createHash("sha256").update(bytes).digest();
}
