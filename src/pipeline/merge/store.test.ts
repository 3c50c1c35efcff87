import { describe, expect, test } from 'vitest'
import { differences } from '../../../test/support/differences.ts'
import {
  acceptedCodes,
  bitsOfElement,
  componentOf,
  componentValue,
  floatOf,
  isNaNCode,
  smallFloatValue,
  wordOf,
} from '../../../test/support/exact-formats.ts'
import {
  destinationOf,
  fillRandomly,
  RENDERABLE,
  randomFrom,
  SPECIAL,
  targetOf,
  toWords,
} from '../../../test/support/random-targets.ts'
import { FIRST_SAMPLE, writeSample } from '../../../test/support/write-sample.ts'
import { numberOps } from '../../engine/reference/number-ops.ts'
import { formatNamed } from '../../isa/formats/index.ts'
import { targetOffset } from '../../machine/index.ts'
import { DEFAULT_BLEND, DEFAULT_TARGET_BLEND, type LogicOp } from '../state.ts'
import { createColorMerge, logicWord, snormCodeWord, unormCodeWord } from './index.ts'

const OPS = numberOps({ denormals: 'flush' })

describe('stores without blending', () => {
  test.each(RENDERABLE.map((f) => f.name))('convert every special value to %s', (name) => {
    const format = formatNamed(name as 'R8_UNORM')
    const view = targetOf(format)
    const merge = createColorMerge([view], DEFAULT_BLEND, [0, 0, 0, 0])
    const { check, list } = differences()
    const integers = [
      0, 1, -1, 127, 128, 255, 256, 0x7fff, 0x8000, -0x8000, -0x8001, 0xffff, 1023, 1024, 0x7fffffff, -0x80000000,
    ]
    const words = format.result === 'float' ? SPECIAL.map(wordOf) : integers
    for (const word of [...words, 0x7f812345, 0x00012345]) {
      writeSample(merge, 0, { x: 1, y: 1, slice: 0, sample: 0 }, Int32Array.of(word, word, word, word))
      for (let c = 0; c < 4; c++) {
        const component = componentOf(format, c)
        if (component === undefined) continue
        const code = bitsOfElement(
          view.storage.bytes,
          targetOffset(view, 1, 1, 0, 0),
          component.bitOffset,
          component.bitCount,
        )
        const nan = format.result === 'float' && Number.isNaN(floatOf(word)) && component.bitCount < 32
        if (nan && component.encoding === 'float') check(isNaNCode(component, code), true, () => `${word}`)
        else check(acceptedCodes(component, word).includes(code), true, () => `${'rgba'[c]} ${word} gave ${code}`)
      }
    }
    expect(list).toEqual([])
  })

  test.each(RENDERABLE.filter((f) => f.components.every((c) => c.bitCount <= 16)).map((f) => f.name))(
    'of what was read leave every code of %s as it is',
    (name) => {
      const format = formatNamed(name as 'R8_UNORM')
      const view = targetOf(format)
      const merge = createColorMerge([view], DEFAULT_BLEND, [0, 0, 0, 0])
      const { check, list } = differences()
      const parts = [0, 1, 2, 3].map((c) => componentOf(format, c))
      const widest = Math.max(...parts.map((p) => p?.bitCount ?? 0))
      const words = new Int32Array(4)
      // Formats of one component go through all codes; the conversions of wider ones are the same.
      const step = widest === 16 && format.bitsPerElement > 16 ? 61 : 1
      for (let code = 0; code < 2 ** widest; code += step) {
        for (const [c, part] of parts.entries()) {
          if (part === undefined) continue
          const value = componentValue(part, code % 2 ** part.bitCount)
          words[c] = format.result === 'float' ? wordOf(value) : value
        }
        writeSample(merge, 0, FIRST_SAMPLE, words)
        for (const part of parts) {
          if (part === undefined) continue
          const { bitOffset, bitCount, encoding } = part
          const wanted = code % 2 ** bitCount
          const found = bitsOfElement(view.storage.bytes, 0, bitOffset, bitCount)
          if (isNaNCode(part, wanted)) check(isNaNCode(part, found), true, () => `NaN ${wanted}`)
          // The lowest SNORM code is -1 too, and is never written.
          else check(found, encoding === 'snorm' && wanted === 2 ** (bitCount - 1) ? wanted + 1 : wanted, part.name)
        }
      }
      expect(list).toEqual([])
    },
  )

  test('trap 7: float16 is rounded toward zero, and what is too large becomes the largest finite number', () => {
    const view = targetOf(formatNamed('R16G16B16A16_FLOAT'))
    const merge = createColorMerge([view], DEFAULT_BLEND, [0, 0, 0, 0])
    writeSample(merge, 0, FIRST_SAMPLE, toWords([1 + 2 ** -10 - 2 ** -20, -(2 - 2 ** -20), 1e9, Infinity]))
    expect([...view.storage.halves.slice(0, 4)]).toEqual([0x3c00, 0xbfff, 0x7bff, 0x7c00])
  })

  test.each([
    ['R16_FLOAT', 10, 0],
    ['R11G11B10_FLOAT', 6, 0],
    ['R11G11B10_FLOAT', 5, 2],
  ] as const)('of %s round to nearest even where asked to (%i fraction bits)', (name, fraction, c) => {
    const view = targetOf(formatNamed(name))
    const merge = createColorMerge([view], DEFAULT_BLEND, [0, 0, 0, 0], { smallFloats: 'nearest-even' })
    const { bitOffset, bitCount } = componentOf(view.format, c)!
    // Every finite value, the middle to the next and one float32 to either side of it.
    const list = differences()
    for (let code = 0; code < 31 << fraction; code += fraction === 10 ? 7 : 1) {
      const value = smallFloatValue(code, fraction)
      const next = Math.min(smallFloatValue(code + 1, fraction), 65536)
      const middle = (value + next) / 2
      const cases: [number, number][] = [
        [value, code],
        [floatOf(wordOf(middle) - 1), code],
        [middle, code + (code % 2)],
        [floatOf(wordOf(middle) + 1), code + 1],
      ]
      for (const [v, wanted] of cases) {
        writeSample(merge, 0, FIRST_SAMPLE, toWords([v, v, v, v]))
        list.check(bitsOfElement(view.storage.bytes, 0, bitOffset, bitCount), wanted, () => `${v}`)
      }
    }
    writeSample(merge, 0, FIRST_SAMPLE, toWords([-1, -1, -1, -1]))
    const minusOne = bitsOfElement(view.storage.bytes, 0, bitOffset, bitCount)
    expect([list.list, minusOne]).toEqual([[], fraction === 10 ? 0xbc00 : 0])
  })

  test('leave unused bits and components outside the mask alone, and vanish outside the target', () => {
    const view = targetOf(formatNamed('B8G8R8X8_UNORM'))
    view.storage.words.fill(0x12345678)
    const merge = createColorMerge([view, undefined], DEFAULT_BLEND, [0, 0, 0, 0])
    writeSample(merge, 0, FIRST_SAMPLE, toWords([1, 0, 0.5, 1]))
    writeSample(merge, 1, FIRST_SAMPLE, toWords([1, 1, 1, 1]))
    for (const [x, y, slice, sample] of [
      [2, 0, 0, 0],
      [0, 2, 0, 0],
      [0, 0, 1, 0],
      [0, 0, 0, 1],
    ] as const) {
      writeSample(merge, 0, { x: x, y: y, slice: slice, sample: sample }, toWords([1, 1, 1, 1]))
    }
    expect([...view.storage.words.slice(0, 4)]).toEqual([0x12ff0080, 0x12345678, 0x12345678, 0x12345678])
  })
})

test('conversions to normalized codes as operations on words give the same', () => {
  const { check, list } = differences()
  for (const value of [...SPECIAL, ...SPECIAL.map((v) => Math.fround(v * 0.7531))]) {
    for (const bitCount of [2, 4, 5, 6, 8, 10, 16]) {
      const part = { name: 'r', bitOffset: 0, bitCount } as const
      const word = wordOf(value)
      const [unorm] = acceptedCodes({ ...part, encoding: 'unorm' }, word)
      check(unormCodeWord(OPS, word, bitCount), unorm, () => `${value} as UNORM ${bitCount}`)
      const [snorm] = acceptedCodes({ ...part, encoding: 'snorm' }, word)
      check(snormCodeWord(OPS, word, bitCount) & (2 ** bitCount - 1), snorm, () => `${value} as SNORM ${bitCount}`)
    }
  }
  expect(list).toEqual([])
})

/** Results for (source, destination) bits 00, 01, 10, 11. */
const TRUTH: Readonly<Record<LogicOp, string>> = {
  ...{ CLEAR: '0000', SET: '1111', COPY: '0011', COPY_INVERTED: '1100', NOOP: '0101', INVERT: '1010', AND: '0001' },
  ...{ NAND: '1110', OR: '0111', NOR: '1000', XOR: '0110', EQUIV: '1001', AND_REVERSE: '0010', AND_INVERTED: '0100' },
  ...{ OR_REVERSE: '1011', OR_INVERTED: '1101' },
}
function logicByBits(op: LogicOp, s: number, d: number, bits: number): number {
  let result = 0
  for (let i = 0; i < bits; i++) {
    const row = ((s >>> i) & 1) * 2 + ((d >>> i) & 1)
    result += Number(TRUTH[op][row]) * 2 ** i
  }
  return result
}

describe('logic operations', () => {
  const UINTS = RENDERABLE.filter((f) => f.capabilities.logicOp !== 'none')
  test.each(UINTS.map((f) => f.name))('on %s follow their truth tables', (name) => {
    const view = targetOf(formatNamed(name as 'R8_UINT'))
    const random = randomFrom(3)
    const { check, list } = differences()
    for (const logicOp of Object.keys(TRUTH) as LogicOp[]) {
      for (let i = 0; i < 8; i++) {
        fillRandomly(view, random)
        const destination = destinationOf(view)
        const b = { ...DEFAULT_TARGET_BLEND, logicOpEnable: true, logicOp }
        const source = Int32Array.from({ length: 4 }, () => random() * 2 ** 32)
        const merge = createColorMerge([view], { ...DEFAULT_BLEND, renderTarget: [b] }, [0, 0, 0, 0])
        writeSample(merge, 0, { x: 1, y: 1, slice: 0, sample: 0 }, source)
        const after = destinationOf(view)
        for (let c = 0; c < 4; c++) {
          const component = componentOf(view.format, c)
          if (component === undefined) continue
          const wanted = logicByBits(logicOp, source[c]!, destination[c]!, component.bitCount)
          check(after[c], wanted, () => `${logicOp} ${c}`)
          const word = logicWord(OPS, logicOp, source[c]!, destination[c]! | 0)
          check(logicByBits('COPY', word, 0, component.bitCount), wanted, () => `${logicOp} as a word`)
        }
      }
    }
    expect(list).toEqual([])
  })

  test('trap 8: COPY cuts the source to the component, a store without a logic operation clamps it', () => {
    const view = targetOf(formatNamed('R8G8B8A8_UINT'))
    for (const [logicOpEnable, code] of [
      [true, 0],
      [false, 255],
    ] as const) {
      const b = { ...DEFAULT_TARGET_BLEND, logicOpEnable, logicOp: 'COPY' } as const
      const merge = createColorMerge([view], { ...DEFAULT_BLEND, renderTarget: [b] }, [0, 0, 0, 0])
      writeSample(merge, 0, FIRST_SAMPLE, Int32Array.of(0x100, 0x1ff, 0x7f, -1))
      expect([...view.storage.bytes.slice(0, 4)]).toEqual([code, 255, 0x7f, 255])
    }
  })
})
