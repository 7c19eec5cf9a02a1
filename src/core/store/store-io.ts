import { fsync, fsyncSync, ftruncateSync, renameSync, writeSync } from "node:fs";
import { promisify } from "node:util";

/** System calls that may fail; tests replace them. */
export interface StoreIo {
  writeSync(fd: number, buffer: Uint8Array, offset: number, length: number, position: number): number;
  ftruncateSync(fd: number, lengthBytes: number): void;
  fsyncSync(fd: number): void;
  /** Asynchronous, since syncing a large file can take long. */
  fsync(fd: number): Promise<void>;
  renameSync(from: string, to: string): void;
}

export const nodeIo: StoreIo = { writeSync, ftruncateSync, fsyncSync, fsync: promisify(fsync), renameSync };

/** Writes the whole buffer. A single system call may write only a part of it. */
export function writeAll(io: StoreIo, fd: number, buffer: Uint8Array, position: number): void {
  let done = 0;
  while (done < buffer.length) {
    const written = io.writeSync(fd, buffer, done, buffer.length - done, position + done);
    if (written <= 0) throw new Error("the file system took none of the bytes written");
    done += written;
  }
}
