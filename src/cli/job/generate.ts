import type { Init } from './model.ts'

/** Next state of the generator of the kernels' run descriptions: x * 1664525 + 1013904223, modulo 2^32. */
function lcg(x: number): number {
  return (Math.imul(x, 1664525) + 1013904223) >>> 0
}

function lcgFloat(x: number, lo: number, hi: number): number {
  const f = Math.fround
  return f(f(lo) + f(f((x >>> 8) / 16777216) * f(f(hi) - f(lo))))
}

type Generator = Exclude<Init, { kind: 'file' | 'image' }>

/** Bytes that a generator writes of itself: only lists of values have a length of their own. */
export function ownLength(init: Init): number | undefined {
  switch (init.kind) {
    case 'u8':
      return init.values.length
    case 'u32':
    case 'i32':
    case 'f32':
      return init.values.length * 4
    case 'f64':
      return init.values.length * 8
    default:
      return undefined
  }
}

function fillWords(words: Uint32Array, floats: Float32Array, init: Generator): void {
  if (init.kind === 'fill-u32') words.fill(init.value)
  if (init.kind !== 'lcg-u32' && init.kind !== 'lcg-f32') return
  let x = init.seed >>> 0
  for (let i = 0; i < words.length; i++) {
    x = lcg(x)
    if (init.kind === 'lcg-u32') words[i] = x
    else floats[i] = lcgFloat(x, init.lo, init.hi)
  }
}

/** `byteLength` bytes of initial contents: words little-endian from the start, values cut or padded with zeros. */
export function generate(init: Generator, byteLength: number): Uint8Array {
  const bytes = new Uint8Array(Math.ceil(byteLength / 8) * 8)
  const { buffer } = bytes
  const wordCount = Math.floor(byteLength / 4)
  switch (init.kind) {
    case 'u8':
      bytes.set(init.values.slice(0, byteLength))
      break
    case 'u32':
      new Uint32Array(buffer).set(init.values.slice(0, wordCount))
      break
    case 'i32':
      new Int32Array(buffer).set(init.values.slice(0, wordCount))
      break
    case 'f32':
      new Float32Array(buffer).set(init.values.slice(0, wordCount))
      break
    case 'f64':
      new Float64Array(buffer).set(init.values.slice(0, Math.floor(byteLength / 8)))
      break
    default:
      fillWords(new Uint32Array(buffer, 0, wordCount), new Float32Array(buffer, 0, wordCount), init)
  }
  return bytes.subarray(0, byteLength)
}
