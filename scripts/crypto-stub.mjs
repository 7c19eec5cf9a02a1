// Stands in for node:crypto in the bundle: the real module costs every start 5 ms, and a start hashes nothing. It is loaded
// when something is first called of it.
let crypto;
const real = () => (crypto ??= require("node:crypto"));

export const createHash = (algorithm) => real().createHash(algorithm);
export const createHmac = (algorithm, key) => real().createHmac(algorithm, key);
export const randomBytes = (size) => real().randomBytes(size);
export const timingSafeEqual = (one, other) => real().timingSafeEqual(one, other);

// Node has it since 20.12; before that a Hash does the same.
let hashOnce;
const byHash = (algorithm, data, encoding) => createHash(algorithm).update(data).digest(encoding);
export const hash = (algorithm, data, encoding) =>
  (hashOnce ??= real().hash ?? byHash)(algorithm, data, encoding);
