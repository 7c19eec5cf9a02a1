import { spawn } from "node:child_process";

/** Asks the desktop to show an address; where there is none, nothing happens. */
export function openInBrowser(url: string): void {
  const opener = openerOf(process.platform, process.env);
  if (opener === undefined) return;
  const [command, ...words] = opener;
  const child = spawn(command!, [...words, url], { stdio: "ignore", detached: true });
  child.on("error", () => {});
  child.unref();
}

function openerOf(platform: NodeJS.Platform, environment: NodeJS.ProcessEnv): readonly string[] | undefined {
  if (platform === "darwin") return ["open"];
  // `start` takes its first quoted word for a title.
  if (platform === "win32") return ["cmd", "/c", "start", '""'];
  const hasDesktop = environment.DISPLAY !== undefined || environment.WAYLAND_DISPLAY !== undefined;
  return hasDesktop ? ["xdg-open"] : undefined;
}
