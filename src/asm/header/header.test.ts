import { describe, expect, it } from 'vitest'
import { corpusFiles } from '../../../test/support/corpus.ts'
import {
  type DxbcContainer,
  encodeChunk,
  makeDxbc,
  NO_REGISTER,
  type ReflectedType,
  type ReflectedVariable,
  type ResourceDefinition,
  readDxbcOrThrow,
  type SignatureElement,
  zeroStatCounts,
} from '../../dxbc/index.ts'
import { type HeaderFacts, printHeader } from './index.ts'

const FILES = corpusFiles()
const STAGES = ['ps', 'vs', 'gs', 'hs', 'ds', 'cs'] as const

/** What the program would say, taken from the official listing: these tests are about the header alone. */
function factsOf(lines: readonly string[], profile: string): HeaderFacts {
  const flags = lines.filter((line) => line.startsWith('dcl_globalFlags ')).join(' ')
  const has = (flag: string) => flags.split(/[ |]+/).includes(flag)
  return {
    stage: STAGES.find((stage) => profile.startsWith(stage))!,
    globalFlags: {
      enableDoublePrecisionFloatOps: has('enableDoublePrecisionFloatOps'),
      forceEarlyDepthStencil: has('forceEarlyDepthStencil'),
      enableMinimumPrecision: has('enableMinimumPrecision'),
      enable11_1DoubleExtensions: has('enable11_1DoubleExtensions'),
      enable11_1ShaderExtensions: has('enable11_1ShaderExtensions'),
    },
  }
}

function factsFor(stage: HeaderFacts['stage']): HeaderFacts {
  return factsOf([], stage)
}

describe('the header of a listing', () => {
  it('equals the official one, byte for byte, for every file of the corpus', () => {
    const differing: string[] = []
    for (const { name, bytes, listing } of FILES) {
      const lines = listing.split('\n')
      const profileAt = lines.findIndex((line) => /^(ps|vs|gs|hs|ds|cs)_[45]_[01]$/.test(line))
      expect(profileAt).toBeGreaterThan(0)
      const official = lines.slice(0, profileAt).map((line) => `${line}\n`)
      const printed = printHeader(readDxbcOrThrow(bytes), factsOf(lines, lines[profileAt]!))
      if (printed !== official.join('')) differing.push(name)
    }
    expect(differing).toEqual([])
  })
})

const EMPTY: ResourceDefinition = {
  majorVersion: 5,
  minorVersion: 0,
  programType: 0xffff,
  flags: 0,
  creator: 'A compiler',
  bindings: [],
  buffers: [],
  types: [],
}

function containerOf(rdef: Partial<ResourceDefinition>): DxbcContainer {
  const data = encodeChunk({ kind: 'resource-definition', value: { ...EMPTY, ...rdef } })
  return makeDxbc([{ fourcc: 'RDEF', data }])
}

function linesOf(container: DxbcContainer, stage: HeaderFacts['stage'] = 'ps'): string[] {
  return printHeader(container, factsFor(stage)).split('\n')
}

const FLOAT: ReflectedType = { name: 'float', class: 0, base: 3, rows: 1, columns: 1, elements: 0, members: [] }

function bufferOf(variables: readonly Partial<ReflectedVariable>[], types: readonly ReflectedType[]): DxbcContainer {
  const whole = variables.map((v) => ({ name: 'x', byteOffset: 0, byteLength: 4, flags: 2, type: 0, ...v }))
  return containerOf({ types, buffers: [{ name: 'B', variables: whole, byteLength: 16, flags: 0, kind: 0 }] })
}

describe('buffer definitions', () => {
  it('print offsets of five digits without a further blank', () => {
    const lines = linesOf(bufferOf([{ byteOffset: 16384, byteLength: 12345 }], [FLOAT]))
    expect(lines).toContain('//   float x;                           // Offset: 16384 Size: 12345')
  })

  it('print an array of one element without brackets, and one of two with', () => {
    const lines = linesOf(bufferOf([{}], [{ ...FLOAT, elements: 1 }]))
    expect(lines).toContain('//   float x;                           // Offset:    0 Size:     4')
    const two = linesOf(bufferOf([{}], [{ ...FLOAT, elements: 2 }]))
    expect(two).toContain('//   float x[2];                        // Offset:    0 Size:     4')
  })

  it('print the slots of a class instance below it', () => {
    const slots = { textures: { start: 4, count: 1 }, samplers: { start: 2, count: 3 } }
    expect(linesOf(bufferOf([slots], [FLOAT]))).toContain(`${' '.repeat(40)}// Texture:  t4, Samplers: s2-s4`)
    const alone = { samplers: { start: 2, count: 1 } }
    expect(linesOf(bufferOf([alone], [FLOAT]))).toContain(`${' '.repeat(40)}// Sampler: s2`)
  })

  it('stay bounded when types double with each level', () => {
    const types: ReflectedType[] = [FLOAT]
    for (let i = 0; i < 40; i++) {
      const members = ['a', 'b'].map((name, n) => ({ name, type: i, byteOffset: n * 4 }))
      types.push({ name: 'S', class: 5, base: 0, rows: 1, columns: 1, elements: 0, members })
    }
    const started = performance.now()
    const lines = linesOf(bufferOf([{ type: 40 }], types))
    expect(lines.join('').length).toBeLessThan(20_000_000)
    expect(performance.now() - started).toBeLessThan(2000)
  })
})

describe('damaged containers', () => {
  it('give a header or leave parts out, never an exception', () => {
    let state = 0x2545f491
    const random = (below: number) => {
      state ^= state << 13
      state ^= state >>> 17
      state ^= state << 5
      return (state >>> 0) % below
    }
    for (let i = 0; i < 3000; i++) {
      const { chunks, ...container } = readDxbcOrThrow(FILES[random(FILES.length)]!.bytes)
      const described = chunks.filter((chunk) => chunk.fourcc !== 'SHEX' && chunk.fourcc !== 'SHDR')
      const chunk = described[random(described.length)]!
      const view = new DataView(chunk.data.buffer)
      for (let changes = 1 + random(4); changes > 0 && chunk.data.length >= 4; changes--) {
        view.setUint32(
          random(chunk.data.length >> 2) * 4,
          [random(chunk.data.length), random(0x7fffffff)][random(2)]!,
          true,
        )
      }
      expect(printHeader({ ...container, chunks: described }, factsFor('ps'))).toMatch(/^\/\/\n/)
    }
  })

  it('with one long name for ten thousand elements stay in proportion', () => {
    const count = 10_000
    const data = new Uint8Array(8 + count * 24 + 200_001).fill(65)
    const view = new DataView(data.buffer)
    view.setUint32(0, count, true)
    view.setUint32(4, 8, true)
    for (let i = 0; i < count; i++) view.setUint32(8 + i * 24, 8 + count * 24, true)
    data[data.length - 1] = 0
    expect(printHeader(makeDxbc([{ fourcc: 'ISGN', data }]), factsFor('vs')).length).toBeLessThan(1000)
  })
})

describe('resource bindings', () => {
  const binding = {
    name: 'n',
    kind: 2,
    returnType: 5,
    dimension: 4,
    sampleCount: 0xffffffff,
    bindPoint: 0,
    bindCount: 1,
  }
  const rowOf = (changes: object, rdef: Partial<ResourceDefinition> = {}) =>
    linesOf(containerOf({ bindings: [{ ...binding, flags: 12, ...changes }], ...rdef }))[8]

  it.each([
    [{ dimension: 1, returnType: 1, flags: 0 }, 'texture   unorm         buf             t0'],
    [{ dimension: 2, returnType: 2, flags: 4 }, 'texture  snorm2          1d             t0'],
    [{ dimension: 3, returnType: 3, flags: 8 }, 'texture   sint3     1darray             t0'],
    [{ dimension: 6, returnType: 4, sampleCount: 0 }, 'texture   uint4        2dMS             t0'],
    [{ dimension: 7, returnType: 4, sampleCount: 8 }, 'texture   uint4  2darrayMS8             t0'],
    [{ dimension: 8, returnType: 7, flags: 0 }, 'texture  double          3d             t0'],
    [{ dimension: 10 }, 'texture  float4   cubearray             t0'],
    [{ kind: 4, dimension: 5 }, 'UAV  float4     2darray             u0'],
    [{ kind: 3, returnType: 0, dimension: 0, flags: 2 }, 'sampler_c      NA          NA             s0'],
    [{ kind: 1, returnType: 5, dimension: 1 }, 'tbuffer      NA          NA             t0'],
    [{ kind: 7, returnType: 6, dimension: 1 }, 'texture    byte         r/o             t0'],
    [{ kind: 9, returnType: 6, dimension: 1 }, 'UAV  struct      append             u0'],
    [{ kind: 10, returnType: 6, dimension: 1 }, 'UAV  struct     consume             u0'],
    [{ kind: 11, returnType: 6, dimension: 1 }, 'UAV  struct     r/w+cnt             u0'],
  ])('describe %j', (changes, text) => {
    const row = rowOf(changes)!
    expect(row).toMatch(/^\/\/ n {30}/)
    expect(row.slice(33).trimStart()).toBe(`${text}      1 `)
  })

  it('of 5.1 have spaces, range IDs and unbounded counts', () => {
    const row = rowOf({ space: 12, id: 7, bindCount: 0, bindPoint: 3 }, { minorVersion: 1 })
    expect(row).toBe(
      '// n                                 texture  float4          2d      T7     t3,space12 unbounded ',
    )
  })
})

describe('signatures', () => {
  const element: SignatureElement = {
    ...{ name: 'N', semanticIndex: 0, systemValue: 0, componentType: 3, register: 0, mask: 15, readWriteMask: 0 },
  }
  const rows = (
    fourcc: 'ISGN' | 'OSGN' | 'OSG5',
    elements: Partial<SignatureElement>[],
    stage: HeaderFacts['stage'],
  ) => {
    const value = { elements: elements.map((e) => ({ ...element, ...e })) }
    const data = encodeChunk({ kind: 'signature', fourcc, value })
    return linesOf(makeDxbc([{ fourcc, data }]), stage).slice(8)
  }

  it('show whether an input without a register is read', () => {
    const read = { systemValue: 7, componentType: 1, register: NO_REGISTER, mask: 1, readWriteMask: 1 }
    const lines = rows('ISGN', [read, { ...read, readWriteMask: 0 }, { ...read, systemValue: 10 }], 'gs')
    expect(lines.slice(0, 3)).toEqual([
      '// N                        0    N/A   primID   PRIMID    uint    YES',
      '// N                        0    N/A   primID   PRIMID    uint     NO',
      '// N                        0    N/A  special   SAMPLE    uint    YES',
    ])
  })

  it('name the target of every register that a pixel shader writes, whatever its semantic', () => {
    const lines = rows(
      'OSGN',
      [{ name: 'COLOR' }, { name: 'sv_depth', register: NO_REGISTER, mask: 1, readWriteMask: 14 }],
      'ps',
    )
    expect(lines.slice(0, 2)).toEqual([
      '// COLOR                    0   xyzw        0   TARGET   float   xyzw',
      '// sv_depth                 0    N/A   oDepth    DEPTH   float    YES',
    ])
    expect(rows('OSGN', [{ name: 'COLOR' }], 'vs')[0]).toContain('NONE')
  })

  it('put the stream in front of names only where there is more than the first', () => {
    expect(rows('OSG5', [{ stream: 0 }, { stream: 0 }], 'gs')[0]).toMatch(/^\/\/ N {20}/)
    expect(rows('OSG5', [{ stream: 0 }, { stream: 3 }], 'gs')[0]).toMatch(/^\/\/ m0:N {17}/)
  })
})

describe('notes', () => {
  it('follow the order of the requirement bits, leaving out raw and structured buffers', () => {
    const data = encodeChunk({ kind: 'feature-info', value: { low: 0x20c3, high: 0 } })
    const printed = linesOf(makeDxbc([{ fourcc: 'SFI0', data }]))
    expect(printed.slice(3)).toEqual([
      '//',
      '// Note: shader requires additional functionality:',
      '//       Double-precision floating point',
      '//       Shader extensions for 11.1',
      '//       Comparison filtering for feature level 9',
      '//       SV_RenderTargetArrayIndex or SV_ViewportArrayIndex from any shader feeding rasterizer',
      '//',
      '//',
      '',
    ])
    const raw = encodeChunk({ kind: 'feature-info', value: { low: 2, high: 0 } })
    expect(linesOf(makeDxbc([{ fourcc: 'SFI0', data: raw }]))).not.toContain('// Note')
  })

  it('say so when the signature is the one of the debug layer', () => {
    const container = { ...makeDxbc([]), checksum: { kind: 'stored', bytes: new Uint8Array(16) } } as const
    expect(linesOf(container)[4]).toBe('// Note: SHADER WILL ONLY WORK WITH THE DEBUG SDK LAYER ENABLED.')
  })
})

describe('tables of the statistics', () => {
  const tables = (counts: Partial<Record<keyof ReturnType<typeof zeroStatCounts>, number>>) => {
    const value = { counts: { ...zeroStatCounts(), ...counts }, dwordCount: 37 }
    const data = encodeChunk({ kind: 'statistics', value })
    return linesOf(makeDxbc([{ fourcc: 'STAT', data }]), 'hs').slice(4)
  }

  it('describe domains, output primitives and partitionings', () => {
    expect(tables({ tessellatorDomain: 1, controlPoints: 32 })[2]).toBe(`// Isoline${' '.repeat(32)}32`)
    const rows = [1, 2, 3, 4].map((n) => tables({ hsOutputPrimitive: n, hsPartitioning: n })[2])
    expect(rows).toEqual([
      '// Point                          Integer           ',
      '// Line                           Integer Power of 2',
      '// Clockwise Triangles            Odd Fractional    ',
      '// Counter-Clockwise Triangles    Even Fractional   ',
    ])
  })

  it('names the debug data before the class tables', () => {
    const classes = readDxbcOrThrow(FILES.find((f) => f.name === 'ps/class_linkage')!.bytes)
    const named = readDxbcOrThrow(FILES.find((f) => f.name === 'vs/basic.zss')!.bytes)
    const chunks = [...classes.chunks, named.chunks.find((c) => c.fourcc === 'ILDN')!]
    const lines = printHeader({ ...classes, chunks }, factsFor('ps')).split('\n')
    const at = lines.findIndex((line) => line.startsWith('// Debug name: '))
    expect(lines.slice(at + 1, at + 3)).toEqual(['//', '// Available Class Types:'])
  })
})
