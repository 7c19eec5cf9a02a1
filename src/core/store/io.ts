import { fsync, fsyncSync, ftruncateSync, renameSync, writeSync } from "node:fs";
import { promisify } from "node:util";

/** The system calls a disk may refuse. They are a seam so that tests can make each of them fail. */
export interface StoreIo {
  writeSync(fd: number, buffer: Uint8Array, offset: number, length: number, position: number): number;
  ftruncateSync(fd: number, lengthBytes: number): void;
  fsyncSync(fd: number): void;
  /** The same beside other work: it can take as long as the file is large. */
  fsync(fd: number): Promise<void>;
  renameSync(from: string, to: string): void;
}

export const nodeIo: StoreIo = { writeSync, ftruncateSync, fsyncSync, fsync: promisify(fsync), renameSync };

/** Writes the whole buffer at the position: a system call may take only part of what it is given. */
export function writeAll(io: StoreIo, fd: number, buffer: Uint8Array, position: number): void {
  let done = 0;
  while (done < buffer.length) {
    const written = io.writeSync(fd, buffer, done, buffer.length - done, position + done);
    if (written <= 0) throw new Error("the file system took none of the bytes written");
    done += written;
  }
}
