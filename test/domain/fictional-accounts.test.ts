import { createHash } from "node:crypto";
import { base58, bech32 } from "@scure/base";
import fc from "fast-check";
import { expect, it } from "vitest";
import { deriveWalletAddress, toChecksumAddress } from "../../src/core/domain/fictional-accounts.js";

const digests = fc.uint8Array({ minLength: 32, maxLength: 32 });
const sha256 = (data: Uint8Array | string) => createHash("sha256").update(data).digest();

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

it.each(EIP55_VECTORS)("computes the published EIP-55 checksum of %s", (vector) => {
  expect(toChecksumAddress(vector.slice(2).toLowerCase())).toBe(vector);
});

it("a Tron wallet address is marked as fictional and has a valid checksum [R1.10]", () => {
  fc.assert(
    fc.property(digests, (digest) => {
      const address = deriveWalletAddress("TRC20", digest);
      expect(address).toMatch(/^TSandboxFakeMoney[1-9A-HJ-NP-Za-km-z]{17}$/);
      const bytes = Buffer.from(base58.decode(address));
      expect(bytes).toHaveLength(25);
      expect(bytes[0]).toBe(0x41);
      expect(bytes.subarray(21)).toEqual(sha256(sha256(bytes.subarray(0, 21))).subarray(0, 4));
      expect(bytes.subarray(13, 21)).toEqual(Buffer.from(digest.subarray(0, 8)));
    }),
  );
});

it.each(["ERC20", "ETH"])("an Ethereum wallet address (%s) has a valid EIP-55 checksum", (network) => {
  fc.assert(
    fc.property(digests, (digest) => {
      const address = deriveWalletAddress(network, digest);
      expect(address).toMatch(/^0x(dead){6}[0-9a-f]{16}$/i);
      expect(address).toBe(toChecksumAddress(address.slice(2).toLowerCase()));
      expect(address.slice(26).toLowerCase()).toBe(Buffer.from(digest.subarray(0, 8)).toString("hex"));
    }),
  );
});

it("a Bitcoin wallet address belongs to the test network", () => {
  fc.assert(
    fc.property(digests, (digest) => {
      const address = deriveWalletAddress("BTC", digest);
      expect(address).toMatch(/^tb1q[a-z0-9]{38}$/);
      const { prefix, words } = bech32.decode(address as `tb1${string}`);
      const [version, ...program] = words;
      expect([prefix, version]).toEqual(["tb", 0]);
      expect(Buffer.from(bech32.fromWords(program))).toEqual(Buffer.from(digest.subarray(0, 20)));
    }),
  );
});

it("the wallet address of an unknown network starts with the network's name", () => {
  const address = deriveWalletAddress("SOLANA", new Uint8Array(32).fill(0xab));
  expect(address).toBe(`sandbox-SOLANA-${"ab".repeat(20)}`);
});
