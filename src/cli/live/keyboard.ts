import { isInForeground } from "./foreground.js";

const CTRL_C = "\u0003";
const ESC = "\u001b";
const CTRL_Z = "\u001a";

/**
 * Single keys of the terminal, without Enter. What the terminal itself makes of a key, interrupting and suspending, is
 * done here in its place.
 *
 * @param press is called with each key
 * @returns how to give the terminal back; undefined where there are no keys to be had
 */
export async function onKeys(press: (key: string) => void): Promise<(() => void) | undefined> {
  const { stdin } = process;
  if (stdin.isTTY !== true || !(await isInForeground())) return undefined;
  const listen = (): void => {
    stdin.setRawMode(true);
    stdin.resume();
  };
  const stop = (): void => {
    stdin.setRawMode(false);
    stdin.pause();
  };
  const goOn = (): void => {
    void isInForeground().then((isInFront) => isInFront && listen());
  };
  stdin.setEncoding("utf8");
  stdin.on("data", (text: string) => {
    for (const key of keysIn(text)) {
      if (key === CTRL_C) process.kill(process.pid, "SIGINT");
      else if (key !== CTRL_Z) press(key);
      else {
        stop();
        process.kill(process.pid, "SIGTSTP");
      }
    }
  });
  process.on("SIGCONT", goOn);
  // The terminal has gone: the server has not.
  stdin.on("error", () => {});
  listen();
  return () => {
    process.off("SIGCONT", goOn);
    stop();
  };
}

/** An arrow or a function key comes as several characters after ESC, none of which was pressed. */
function keysIn(text: string): string[] {
  const [first = "", ...sequences] = text.split(ESC);
  return [...first, ...sequences.flatMap((one) => [...one.replace(/^(\[[\d;]*.|O.|.)/u, "")])];
}
