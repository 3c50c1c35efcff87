/** One constant register range of the Direct3D 9 code, filled from a constant buffer. */
interface ConstantMapping {
  readonly buffer: number
  readonly startRegister: number
  readonly registerCount: number
  readonly target: number
  /** By component: 0 float, 1 bool, 2 int, 3 uint. */
  readonly conversions: readonly number[]
}

/** One integer or bool register, filled from one component of a constant buffer. */
export interface ScalarMapping {
  readonly buffer: number
  readonly sourceRegister: number
  readonly component: number
  readonly target: number
}

interface SamplerMapping {
  readonly target: number
  readonly sampler: number
  readonly resource: number
}

/** A constant that the runtime makes up. */
interface RuntimeMapping {
  /** 0: the offset that moves vertices by half a pixel. */
  readonly kind: number
  readonly target: number
}

/** The Aon9 part: Direct3D 9 code for feature level 9, and where its registers come from. */
export interface Level9 {
  readonly constants: readonly ConstantMapping[]
  readonly integers: readonly ScalarMapping[]
  readonly bools: readonly ScalarMapping[]
  readonly samplers: readonly SamplerMapping[]
  readonly runtime: readonly RuntimeMapping[]
  readonly tokens: readonly number[]
}

/**
 * Reads an Aon9 part: size, version token, size and offset of the code, then count and offset (16 bits each) of five
 * tables. Nothing when any of it points outside.
 */
export function readLevel9(data: Uint8Array): Level9 | undefined {
  if (data.length < 36) return undefined
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  const word = (at: number) => view.getUint16(at, true)
  let whole = true
  const table = <T>(index: number, size: number, read: (at: number) => T): T[] => {
    const count = word(16 + index * 4)
    const start = word(18 + index * 4)
    if (start + count * size > data.length) {
      whole = false
      return []
    }
    return Array.from({ length: count }, (_, i) => read(start + i * size))
  }
  const scalar = (at: number): ScalarMapping => ({
    buffer: word(at),
    sourceRegister: word(at + 2),
    component: word(at + 4),
    target: word(at + 6),
  })
  const level9: Level9 = {
    constants: table(0, 12, (at) => ({
      buffer: word(at),
      startRegister: word(at + 2),
      registerCount: word(at + 4),
      target: word(at + 6),
      conversions: [8, 9, 10, 11].map((i) => view.getUint8(at + i)),
    })),
    integers: table(1, 8, scalar),
    bools: table(2, 8, scalar),
    samplers: table(3, 4, (at) => ({
      resource: view.getUint8(at),
      sampler: view.getUint8(at + 1),
      target: view.getUint8(at + 2),
    })),
    runtime: table(4, 4, (at) => ({ kind: word(at), target: word(at + 2) })),
    tokens: readTokens(view, view.getUint32(12, true), view.getUint32(8, true)),
  }
  return whole && level9.tokens.length > 0 ? level9 : undefined
}

function readTokens(view: DataView, start: number, byteLength: number): number[] {
  if (start + byteLength > view.byteLength) return []
  return Array.from({ length: byteLength >> 2 }, (_, i) => view.getUint32(start + i * 4, true))
}
