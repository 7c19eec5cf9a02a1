import { writeFileSync } from "node:fs";
import { crc32, deflateSync, inflateSync } from "node:zlib";

const SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");
const MAX_COLOURS = 256;

/**
 * Writes a screenshot (8-bit RGB or RGBA, not interlaced) with a palette of its most frequent colours, which makes it a
 * third as big; each other colour becomes the nearest of them. Returns the size.
 */
export function smallPng(png, path) {
  const { width, height, pixels } = decode(png);
  const { palette, indices } = reduce(pixels);
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++)
    rows.set(indices.subarray(y * width, (y + 1) * width), y * (width + 1) + 1);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8); // 8 bits, palette
  const parts = [chunk("IHDR", header), chunk("PLTE", Buffer.from(palette.flatMap(parted)))];
  const small = Buffer.concat([
    SIGNATURE,
    ...parts,
    chunk("IDAT", deflateSync(rows, { level: 9 })),
    chunk("IEND"),
  ]);
  writeFileSync(path, small);
  return small.length;
}

function chunk(type, data = Buffer.alloc(0)) {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

/** The colours of its pixels, as 0xrrggbb, row by row. */
function decode(png) {
  const chunks = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    chunks.push([png.toString("latin1", at + 4, at + 8), png.subarray(at + 8, at + 8 + length)]);
    at += length + 12;
  }
  const header = chunks.find(([type]) => type === "IHDR")[1];
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const bytes = header[9] === 6 ? 4 : 3;
  const raw = inflateSync(Buffer.concat(chunks.filter(([type]) => type === "IDAT").map(([, data]) => data)));
  const stride = width * bytes;
  const pixels = new Uint32Array(width * height);
  let above = Buffer.alloc(stride);
  for (let y = 0; y < height; y++) {
    const start = y * (stride + 1);
    const line = raw.subarray(start + 1, start + 1 + stride);
    unfilter(raw[start], line, above, bytes);
    for (let x = 0; x < width; x++) pixels[y * width + x] = line.readUIntBE(x * bytes, 3);
    above = line;
  }
  return { width, height, pixels };
}

/** Undoes a row's filter in place (PNG, section 9.2). */
function unfilter(filter, line, above, bytes) {
  for (let i = 0; i < line.length; i++) {
    const left = i < bytes ? 0 : line[i - bytes];
    const corner = i < bytes ? 0 : above[i - bytes];
    const guesses = [0, left, above[i], (left + above[i]) >> 1, paeth(left, above[i], corner)];
    line[i] += guesses[filter];
  }
}

function paeth(left, up, corner) {
  const [a, b, c] = [left, up, corner].map((one) => Math.abs(left + up - corner - one));
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}

function reduce(pixels) {
  const counts = new Map();
  for (const colour of pixels) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const palette = [...counts.entries()]
    .sort((a, b) => b[1] - a[1] || a[0] - b[0])
    .slice(0, MAX_COLOURS)
    .map(([colour]) => colour);
  const places = new Map(palette.map((colour, index) => [colour, index]));
  for (const colour of counts.keys()) if (!places.has(colour)) places.set(colour, nearest(colour, palette));
  return { palette, indices: Uint8Array.from(pixels, (colour) => places.get(colour)) };
}

function nearest(colour, palette) {
  const distances = palette.map((one) => distance(one, colour));
  return distances.indexOf(Math.min(...distances));
}

function distance(one, other) {
  const parts = parted(other);
  return parted(one).reduce((sum, part, index) => sum + (part - parts[index]) ** 2, 0);
}

function parted(colour) {
  return [colour >> 16, (colour >> 8) & 255, colour & 255];
}
