import { createHash } from "node:crypto";
import { keccak_256 } from "@noble/hashes/sha3.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toChecksumAddress, walletAddress } from "../../src/core/domain/wallets.js";

const digests = fc.uint8Array({ minLength: 32, maxLength: 32 });
const sha256 = (data: Uint8Array | string) => createHash("sha256").update(data).digest();

const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/** Decodes by long arithmetic on one big number, unlike the library. Tron's version byte is never zero. */
function base58Decode(text: string): Buffer {
  let value = 0n;
  for (const char of text) {
    const digit = BASE58.indexOf(char);
    if (digit < 0) throw new Error(`not base58: ${char}`);
    value = value * 58n + BigInt(digit);
  }
  const digits = value.toString(16);
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, "hex");
}

const BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const GENERATORS = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];

function polymod(values: readonly number[]): number {
  let checksum = 1;
  for (const value of values) {
    const top = checksum >>> 25;
    checksum = ((checksum & 0x1ffffff) << 5) ^ value;
    for (const [bit, generator] of GENERATORS.entries()) if ((top >>> bit) & 1) checksum ^= generator;
  }
  return checksum;
}

/** The values after the prefix and 1, when the checksum of BIP 173 holds. */
function bech32Values(text: string): number[] {
  const separator = text.lastIndexOf("1");
  const prefix = [...text.slice(0, separator)].map((char) => char.charCodeAt(0));
  const values = [...text.slice(separator + 1)].map((char) => BECH32.indexOf(char));
  if (values.includes(-1)) throw new Error("not bech32");
  const expanded = [...prefix.map((code) => code >> 5), 0, ...prefix.map((code) => code & 31)];
  if (polymod([...expanded, ...values]) !== 1) throw new Error("wrong bech32 checksum");
  return values.slice(0, -6);
}

/** EIP-55 worked bit by bit on the hash's bytes: a letter is upper case where its nibble's highest bit is set. */
function checksummed(address: string): string {
  const plain = address.slice(2).toLowerCase();
  const hash = keccak_256(Buffer.from(plain, "ascii"));
  let out = "0x";
  for (let i = 0; i < 40; i++) {
    const mask = i % 2 === 0 ? 0x80 : 0x08;
    out += (hash[i >> 1]! & mask) !== 0 ? plain[i]!.toUpperCase() : plain[i]!;
  }
  return out;
}

const EIP55_VECTORS = [
  "0x52908400098527886E0F7030069857D2E4169EE7",
  "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
  "0xde709f2102306220921060314715629080e2fb77",
  "0x27b1fdb04752bbc536007a920d24acb045561c26",
  "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
  "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
  "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
];

describe("the test's own checkers", () => {
  it.each(EIP55_VECTORS)("agree with the published EIP-55 vector %s", (vector) => {
    expect(checksummed(vector)).toBe(vector);
    expect(toChecksumAddress(vector.slice(2).toLowerCase())).toBe(vector);
  });

  it("agree with the address that BIP 173 gives for the test network", () => {
    const values = bech32Values("tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx");
    expect(values[0]).toBe(0);
    expect(() => bech32Values("tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsz")).toThrow("checksum");
  });

  it("agree with Tron's well-known address of twenty zero bytes", () => {
    const bytes = base58Decode("T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb");
    expect(bytes.subarray(0, 21).toString("hex")).toBe(`41${"00".repeat(20)}`);
    expect(bytes.subarray(21)).toEqual(sha256(sha256(bytes.subarray(0, 21))).subarray(0, 4));
  });
});

describe("walletAddress", () => {
  it("gives Tron addresses with a valid checksum that read as fictional [R1.10]", () => {
    fc.assert(
      fc.property(digests, (digest) => {
        const address = walletAddress("TRC20", digest);
        expect(address).toMatch(/^TSandboxFakeMoney[1-9A-HJ-NP-Za-km-z]{17}$/);
        const bytes = base58Decode(address);
        expect(bytes).toHaveLength(25);
        expect(bytes[0]).toBe(0x41);
        expect(bytes.subarray(21)).toEqual(sha256(sha256(bytes.subarray(0, 21))).subarray(0, 4));
        expect(bytes.subarray(13, 21)).toEqual(Buffer.from(digest.subarray(0, 8)));
      }),
    );
  });

  it.each(["ERC20", "ETH"])("gives Ethereum addresses with a valid EIP-55 checksum for %s", (network) => {
    fc.assert(
      fc.property(digests, (digest) => {
        const address = walletAddress(network, digest);
        expect(address).toMatch(/^0x(dead){6}[0-9a-f]{16}$/i);
        expect(address).toBe(checksummed(address));
        expect(address.slice(26).toLowerCase()).toBe(Buffer.from(digest.subarray(0, 8)).toString("hex"));
      }),
    );
  });

  it("gives Bitcoin addresses of the test network: version 0, a program of 20 bytes", () => {
    fc.assert(
      fc.property(digests, (digest) => {
        const address = walletAddress("BTC", digest);
        expect(address).toMatch(/^tb1q[a-z0-9]{38}$/);
        const [version, ...words] = bech32Values(address);
        expect(version).toBe(0);
        const bits = words.map((word) => word.toString(2).padStart(5, "0")).join("");
        expect(bits).toHaveLength(160);
        const program = Buffer.from(BigInt(`0b${bits}`).toString(16).padStart(40, "0"), "hex");
        expect(program).toEqual(Buffer.from(digest.subarray(0, 20)));
      }),
    );
  });

  it("does not pretend to know the addresses of another network", () => {
    const address = walletAddress("SOLANA", new Uint8Array(32).fill(0xab));
    expect(address).toBe(`sandbox-SOLANA-${"ab".repeat(20)}`);
  });
});
