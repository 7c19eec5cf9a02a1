import { UserError } from "../../core/schema/user-error.js";
import type { Connection } from "./connection.js";

/** Reports each message of the live stream until the sandbox stops or the output is closed. */
export async function followActivity(
  connection: Connection,
  onMessage: (event: string, data: Record<string, unknown>) => void | Promise<void>,
): Promise<void> {
  const response = await connection.send("GET", "/_sandbox/stream");
  if (!response.ok || response.body === null)
    throw new UserError(`the stream returned HTTP ${response.status}`);
  const { body } = response;
  // Output fails once its reader, such as `head`, has exited.
  process.stdout.once("error", () => void body.cancel());
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for await (const bytes of body) {
      rest += decoder.decode(bytes, { stream: true });
      const parts = rest.split("\n\n");
      rest = parts.pop() ?? "";
      for (const part of parts) {
        const event = /^event: ([^\n]*)$/m.exec(part)?.[1];
        const data = /^data: ([^\n]*)$/m.exec(part)?.[1];
        if (event !== undefined && data !== undefined)
          await onMessage(event, JSON.parse(data) as Record<string, unknown>);
      }
    }
  } catch (error) {
    if (error instanceof UserError || (error instanceof Error && error.name === "SyntaxError")) throw error;
    // Any other error means that the sandbox was stopped.
  }
}
