import { connect } from "node:net";
import { systemWallClock } from "../core/time/wall-clock.js";

/** A host that drops packets neither accepts nor refuses a connection. */
const CONNECT_MS = 1_000;

/** Returns true if something listens at the app's URL. */
export function isListening(app: string): Promise<boolean> {
  const { hostname, port, protocol } = new URL(app);
  return new Promise((resolve) => {
    const socket = connect({
      host: hostname.replace(/^\[|\]$/g, ""),
      port: Number(port) || (protocol === "https:" ? 443 : 80),
    });
    const done = (isThere: boolean) => () => {
      stopTimeout();
      socket.destroy();
      resolve(isThere);
    };
    const stopTimeout = systemWallClock.after(CONNECT_MS, done(false));
    socket.once("connect", done(true)).once("error", done(false));
  });
}
