import { once } from "node:events";
import { parentPort, workerData } from "node:worker_threads";
import { takeCourse } from "./course.mjs";

/** One test worker: says that it is ready, begins with the others, and tells what it was told. */
const { lines, heard } = await takeCourse({
  ...workerData,
  begin: async () => {
    parentPort.postMessage("ready");
    await once(parentPort, "message");
  },
});
parentPort.postMessage({ lines, heard });
parentPort.close();
