import { once } from "node:events";
import { parentPort, workerData } from "node:worker_threads";
import { takeCourse } from "./course.mjs";

/** One worker: reports that it is ready, waits for the start signal, and returns its transcript. */
const { lines, heard } = await takeCourse({
  ...workerData,
  begin: async () => {
    parentPort.postMessage("ready");
    await once(parentPort, "message");
  },
});
parentPort.postMessage({ lines, heard });
parentPort.close();
