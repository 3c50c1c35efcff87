import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { corpusFiles } from '../../../test/support/corpus.ts'
import { findCodeChunk, makeDxbc, readDxbcOrThrow, writeDxbc } from '../../dxbc/index.ts'
import { INSTRUCTIONS } from '../../isa/index.ts'
import { encodeProgram, type Operand, type OperandIndex, type Program, type Statement } from '../../program/index.ts'
import { assemble } from '../assemble.ts'
import { parseProgram } from '../parse/index.ts'
import { exactAutoText, exactDoubleText, exactFloatText } from './exact-text.ts'
import { isLossless, printLossless, readLossless } from './index.ts'

const FILES = corpusFiles()

/** The file that its lossless text gives, through the room's own door. */
function back(bytes: Uint8Array): Uint8Array {
  const { value, diagnostics } = assemble(printLossless(bytes))
  if (value === undefined) throw new Error(diagnostics.map((d) => d.message).join('\n'))
  return value
}

const dword = fc.integer({ min: 0, max: 0xffffffff })
const smallOrAny = fc.oneof(fc.integer({ min: 0, max: 20 }), dword)

/** Any operand that tokens can hold; `depth` limits registers in indices. */
function operandOf(depth: number): fc.Arbitrary<Operand> {
  const index: fc.Arbitrary<OperandIndex> = fc.oneof(
    smallOrAny.map((value) => ({ kind: 'immediate', value }) as const),
    fc.tuple(dword, dword).map(([high, low]) => ({ kind: 'immediate64', high, low }) as const),
    ...(depth === 0
      ? []
      : [
          operandOf(depth - 1).map((register) => ({ kind: 'relative', register }) as const),
          fc
            .tuple(smallOrAny, operandOf(depth - 1))
            .map(([offset, register]) => ({ kind: 'relative-plus', offset, register }) as const),
          fc
            .tuple(dword, smallOrAny, operandOf(depth - 1))
            .map(([high, low, register]) => ({ kind: 'relative-plus64', high, low, register }) as const),
        ]),
  )
  const fields = fc.record({
    type: fc.integer({ min: 0, max: 45 }),
    components: fc.integer({ min: 0, max: 3 }),
    mode: fc.integer({ min: 0, max: 3 }),
    selection: fc.integer({ min: 0, max: 255 }),
    indices: fc.array(index, { maxLength: 3 }),
    modifier: fc.integer({ min: 0, max: 3 }),
    minPrecision: fc.integer({ min: 0, max: 7 }),
    nonUniform: fc.boolean(),
    values: fc.array(dword, { minLength: 4, maxLength: 4 }),
  })
  return fields.map((o) => {
    const isLiteral = o.type === 4 || o.type === 5
    const count = isLiteral ? [0, o.type === 5 ? 2 : 1, 4, 0][o.components]! : 0
    return { ...o, values: o.values.slice(0, count) }
  })
}

const controls = dword.map((n) => (n & 0x00fff800) >>> 0)
const extended = fc.oneof(
  fc
    .tuple(fc.integer({ min: -8, max: 7 }), fc.integer({ min: -8, max: 7 }), fc.integer({ min: -8, max: 7 }))
    .map(([u, v, w]) => ({ kind: 'sample-offset', u, v, w, spare: 0 }) as const),
  fc
    .tuple(fc.integer({ min: 0, max: 31 }), fc.integer({ min: 0, max: 4095 }))
    .map(([dimension, stride]) => ({ kind: 'resource-dimension', dimension, stride, spare: 0 }) as const),
  fc
    .integer({ min: 0, max: 0xffff })
    .map((returnTypes) => ({ kind: 'resource-return-type', returnTypes, spare: 0 }) as const),
)

const instruction: fc.Arbitrary<Statement> = fc
  .constantFrom(...INSTRUCTIONS.filter((row) => row.traits.kind !== 'custom-data'))
  .chain((row) =>
    fc.record({
      kind: fc.constant('instruction' as const),
      opcode: fc.constant(row.opcode),
      controls: fc.oneof(fc.constant(0), controls),
      extended: row.longForm ? fc.constant([]) : fc.array(extended, { maxLength: 3 }),
      operands: fc.tuple(...row.operands.map(() => operandOf(1))),
      parameters: fc.array(smallOrAny, { minLength: row.parametersFirst ? 1 : 0, maxLength: 5 }),
    }),
  )

const statement: fc.Arbitrary<Statement> = fc.oneof(
  { weight: 8, arbitrary: instruction },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('custom-data' as const),
      dataClass: fc.integer({ min: 0, max: 9 }),
      dwords: fc.array(dword, { maxLength: 20 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('unknown' as const),
      // An opcode that no row has.
      dwords: fc.array(dword, { maxLength: 12 }).map((rest) => [((rest.length + 1) << 24) | 0x7f0, ...rest]),
    }),
  },
)

const program: fc.Arbitrary<Program> = fc.record({
  stageNumber: fc.oneof(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 6, max: 0xffff })),
  major: fc.integer({ min: 4, max: 5 }),
  minor: fc.integer({ min: 0, max: 1 }),
  versionSpare: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 255 })),
  statements: fc.array(statement, { maxLength: 12 }),
  trailing: fc.uint8Array({ maxLength: 9 }),
})

describe('printLossless', () => {
  it('gives every file of the corpus back, byte for byte, and has text for all that fxc made', () => {
    for (const { name, bytes, synthetic } of FILES) {
      const text = printLossless(bytes)
      const { value, diagnostics } = assemble(text)
      expect(diagnostics, name).toEqual([])
      expect(Buffer.compare(value!, bytes), name).toBe(0)
      if (synthetic) continue
      // Nothing that fxc wrote needs raw tokens or annotations.
      expect(text, name).not.toMatch(/^ *\.tokens|\{raw|\{token/m)
      expect(text, name).not.toMatch(/^\.chunk "(RDEF|ISG1|ISGN|OSG1|OSG5|OSGN|PCSG|STAT|SFI0|SHEX|SHDR)" bytes/m)
    }
  })

  it('gives any program back', () => {
    fc.assert(
      fc.property(program, (p) => {
        const bytes = writeDxbc(makeDxbc([{ fourcc: 'SHEX', data: encodeProgram(p) }]))
        expect(back(bytes)).toEqual(bytes)
      }),
      { numRuns: 200 },
    )
  })

  it('gives any bytes back', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(back(bytes)).toEqual(bytes)
      }),
    )
  })

  it('gives mutated containers back', () => {
    const small = FILES.filter((f) => f.bytes.length < 1500)
    const edit = fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 }))
    fc.assert(
      fc.property(
        fc.constantFrom(...small),
        fc.array(edit, { minLength: 1, maxLength: 4 }),
        fc.nat(),
        (f, edits, cut) => {
          const bytes = f.bytes.slice(0, cut % 4 === 0 ? cut % f.bytes.length : undefined)
          for (const [at, value] of edits) if (bytes.length > 0) bytes[at % bytes.length] = value
          expect(back(bytes)).toEqual(bytes)
        },
      ),
      { numRuns: 400 },
    )
  })

  it('keeps an unusual container: gaps, order, tail, trailing bytes, two parts of a name', () => {
    const data = (n: number): Uint8Array => new Uint8Array(n).map((_, i) => (i * 37) & 255)
    const container = {
      checksum: { kind: 'stored', bytes: data(16) },
      version: 7,
      chunks: [
        { fourcc: 'A"\\\n', data: data(5) },
        { fourcc: 'ISGN', data: data(3), gapBefore: data(6) },
        { fourcc: 'ISGN', data: new Uint8Array() },
      ],
      storageOrder: [2, 0, 1],
      tail: data(4),
      trailing: data(100),
    } as const
    const bytes = writeDxbc(container)
    expect(back(bytes)).toEqual(bytes)
    expect(printLossless(bytes)).toContain('.chunk "A\\x22\\x5c\\x0a" bytes')
  })
})

describe('readLossless', () => {
  const text = printLossless(FILES.find((f) => f.name === 'vs/basic')!.bytes)
  const messages = (t: string): readonly string[] => readLossless(t).diagnostics.map((d) => d.message)

  it('takes an edited text: code, model and fourcc', () => {
    const edited = text.replace('"name": "COLOR"', '"name": "TINT"').replace('mov o3.xyzw', 'mov_sat o3.xyzw')
    const container = readDxbcOrThrow(readLossless(edited).value!)
    expect(container.checksum.kind).toBe('computed')
    expect(findCodeChunk(container)!.data).not.toEqual(findCodeChunk(readDxbcOrThrow(readLossless(text).value!))!.data)
    expect(printLossless(writeDxbc(container))).toBe(edited)
  })

  it('is recognized by its mark', () => {
    expect(isLossless(`// a comment\n\n  ${text}`)).toBe(true)
    expect(isLossless('ps_5_0\nret')).toBe(false)
    expect(isLossless('')).toBe(false)
  })

  it('says what is wrong', () => {
    expect(messages('.lossless 2')).toEqual(['this reads version 1 of the dialect, not 2'])
    expect(messages('.lossless 1\n.chnk "RDEF" bytes')).toEqual(["'.chnk' is not a directive here"])
    expect(messages('.lossless 1\n.chunk "RDE" bytes\n.end')[0]).toBe('the name of a part has four characters')
    expect(messages('.lossless 1\n.chunk "STAT" statistics\n{ "counts": 1 }\n.end')).toEqual([
      'the text does not describe a statistics part: the part cannot hold counts',
    ])
    expect(messages('.lossless 1\n.chunk "ISGN" signature\n{ "elements": 5 }\n.end')[0]).toContain('another type')
    expect(messages(text.replace('"mask": 7', '"mask": 300'))[0]).toContain('cannot hold elements[0].mask')
    expect(messages(text.replace('"mask": 7', '"mask": 7, "color": 1'))[0]).toContain('cannot hold elements[0].color')
    expect(messages('.lossless 1\n.chunk "ISGN" signature\n{ "elements": [')).toEqual(["a model ends without '.end'"])
    expect(messages('.lossless 1\n.chunk "PRIV" bytes\n!!!!\n.end')[0]).toBe('expected bytes in base64')
    expect(messages('.lossless 1\n.chunk "SHEX" code\nret\n.end')[0]).toBe('an instruction before the profile')
    expect(messages('.lossless 1\n.checksum AAAA')).toEqual(['a checksum has 16 bytes'])
  })

  it('does not let a layout ask for memory', () => {
    const layout = '{ "elements": [], "layout": { "byteLength": 4000000000 } }'
    expect(messages(`.lossless 1\n.chunk "ISGN" signature\n${layout}\n.end`)).toEqual([
      'the text does not describe a signature part: its layout would be mostly empty',
    ])
  })
})

describe('exact numbers', () => {
  const bitsOf = (literal: string, mnemonic: string): readonly number[] => {
    const { value } = parseProgram(`cs_5_0\n${mnemonic} r0.xy, ${literal}`, { exact: true })
    const s = value!.statements[0]!
    return s.kind === 'instruction' ? s.operands[1]!.values : []
  }

  it('read back to every float', () => {
    fc.assert(
      fc.property(dword, (bits) => {
        expect(bitsOf(`l(${exactFloatText(bits)})`, 'mov')).toEqual([bits])
        expect(bitsOf(`l(${exactAutoText(bits)})`, 'mov')).toEqual([bits])
      }),
      { numRuns: 2000 },
    )
  })

  it('are the shortest there are', () => {
    expect([0x3eaaaaab, 0x3f800000, 0x3dcccccd, 0, 0x80000000, 0x7f7fffff].map(exactFloatText)).toEqual([
      '0.33333334',
      '1.0',
      '0.1',
      '0.0',
      '-0.0',
      '3.4028235e+38',
    ])
    expect([0x7fc00000, 0x7f800000, 1, 0x3f800000, 5, 0xffffffff].map(exactAutoText)).toEqual([
      '0x7fc00000',
      '0x7f800000',
      '1',
      '1.0',
      '5',
      '-1',
    ])
  })

  it('read back to every double', () => {
    fc.assert(
      fc.property(dword, dword, (low, high) => {
        expect(bitsOf(`d(${exactDoubleText(low, high)}, 0.0l)`, 'dmov')).toEqual([low, high, 0, 0])
      }),
      { numRuns: 1000 },
    )
  })
})
