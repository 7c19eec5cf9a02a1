// Forwards a port of the host, like `ports` of a container engine.
import { connect, createServer } from "node:net";

const [port, machine] = process.argv.slice(2);
createServer((outside) => {
  const inside = connect(Number(port), machine);
  const end = () => {
    outside.destroy();
    inside.destroy();
  };
  outside.on("error", end).on("close", end).pipe(inside);
  inside.on("error", end).on("close", end).pipe(outside);
}).listen(Number(port), "127.0.0.1", () => console.log("published"));
