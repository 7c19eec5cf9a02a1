import { spawn } from "node:child_process";
import { UserError } from "../../schema/user-error.js";

/** What a command of the app prints, run by a shell; one that fails is a UserError. */
export function askApp(command: string, environment: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, { shell: true, env: environment, stdio: ["ignore", "pipe", "inherit"] });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (more: string) => {
      text += more;
    });
    child.once("error", (error) => reject(new UserError(`${command}: cannot be run (${error.message})`)));
    child.once("close", (code, signal) => {
      if (code === 0) resolve(text);
      else reject(new UserError(`${command}: ${signal === null ? `exit ${code}` : `ended by ${signal}`}`));
    });
  });
}
