// Refuses and logs connections to other machines.
const { appendFileSync } = require("node:fs");
const { Socket } = require("node:net");

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/;
const connect = Socket.prototype.connect;

Socket.prototype.connect = function (...args) {
  // net.connect() passes its arguments as one array, options first.
  const [first] = args.flat();
  const host = typeof first === "object" ? (first?.path ? "localhost" : first?.host) : args[1];
  if (LOOPBACK.test(host ?? "localhost")) return connect.apply(this, args);
  appendFileSync(process.env.OFFLINE_LOG, `${host}\n`);
  process.nextTick(() => this.destroy(new Error(`offline: ${host}`)));
  return this;
};
