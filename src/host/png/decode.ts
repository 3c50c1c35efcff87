import { convertIndexedToRgb, type DecodedPng, decode } from 'fast-png'
import type { HostFailure, Image } from '../../job/index.ts'
import { COLOR_TYPE, dataFault, type Header, neededChunks, readHeader } from './judge.ts'

/** Samples of an image whose rows are packed bits, one sample a pixel. */
function unpacked({ data, depth, width, height }: DecodedPng): Uint8Array {
  const rowBytes = Math.ceil((width * depth) / 8)
  const mask = (1 << depth) - 1
  const samples = new Uint8Array(width * height)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const bit = x * depth
      samples[y * width + x] = (data[y * rowBytes + (bit >> 3)]! >> (8 - depth - (bit & 7))) & mask
    }
  }
  return samples
}

type Samples = Uint8Array | Uint8ClampedArray | Uint16Array

/** Samples as RGBA: gray is each color, and alpha is full where there is none. */
function rgbaOf(samples: Samples, channels: number, greatest: number): Uint8Array | Uint16Array {
  const count = samples.length / channels
  const pixels = samples instanceof Uint16Array ? new Uint16Array(4 * count) : new Uint8Array(4 * count)
  const isGray = channels < 3
  const hasAlpha = channels % 2 === 0
  for (let i = 0; i < count; i++) {
    const from = i * channels
    for (let c = 0; c < 3; c++) pixels[4 * i + c] = samples[isGray ? from : from + c]!
    pixels[4 * i + 3] = hasAlpha ? samples[from + channels - 1]! : greatest
  }
  return pixels
}

/** Makes the pixels of one color transparent. */
function applyTransparency(pixels: Samples, samples: Samples, channels: number, key: Uint16Array): void {
  for (let i = 0; i * channels < samples.length; i++) {
    let isKey = true
    for (let c = 0; c < channels; c++) isKey &&= samples[i * channels + c] === key[c]
    if (isKey) pixels[4 * i + 3] = 0
  }
}

function pixelsOf(png: DecodedPng, colorType: number): Uint8Array | Uint16Array {
  if (colorType === COLOR_TYPE.palette) {
    const colors = convertIndexedToRgb(png)
    return rgbaOf(colors, colors.length / (png.width * png.height), 0xff)
  }
  const { depth, channels, transparency } = png
  const samples = depth < 8 ? unpacked(png) : png.data
  const pixels = rgbaOf(samples, channels, depth === 16 ? 0xffff : 0xff)
  if (depth < 8) {
    const scale = 255 / ((1 << depth) - 1)
    for (let i = 0; i < pixels.length; i++) if (i % 4 !== 3) pixels[i] = pixels[i]! * scale
  }
  if (transparency !== undefined) applyTransparency(pixels, samples, channels, transparency)
  return pixels
}

function decoded(file: Uint8Array, { width, height, colorType }: Header): Image | HostFailure {
  try {
    return { width, height, pixels: pixelsOf(decode(file, { checkCrc: true }), colorType) }
  } catch (e) {
    return { reason: `it cannot be decoded: ${(e as Error).message}` }
  }
}

/**
 * A PNG file's pixels, or why there are none. The decoder would inflate what it is given without a limit, so the data are
 * judged before it sees them.
 */
export function decodePng(bytes: Uint8Array): Image | HostFailure {
  const header = readHeader(bytes)
  if (typeof header === 'string') return { reason: header }
  const chunks = neededChunks(bytes)
  const wrong = typeof chunks === 'string' ? chunks : dataFault(chunks, header)
  if (typeof chunks === 'string' || wrong !== undefined) return { reason: `it cannot be decoded: ${wrong}` }
  return decoded(chunks.file, header)
}
