import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { codeChunk, corpusFiles } from '../../test/support/corpus.ts'
import { computeChecksum } from '../dxbc/index.ts'
import { decodeProgram } from '../program/index.ts'
import { validate } from './index.ts'

const seeds = corpusFiles()
  .filter((f) => f.bytes.length < 6000)
  .map((f) => f.bytes)

interface Mutation {
  readonly at: number
  readonly value: number
}

/** Dwords of `bytes` overwritten, `at` being a share of the length. */
function mutated(bytes: Uint8Array, mutations: readonly Mutation[], length: number): Uint8Array {
  const result = bytes.slice(0, Math.floor(bytes.length * length))
  const view = new DataView(result.buffer)
  for (const { at, value } of mutations) {
    const offset = Math.floor(at * (result.length >>> 2)) * 4
    if (offset + 4 <= result.length) view.setUint32(offset, value, true)
  }
  return result
}

const DWORD = fc.oneof(
  fc.integer({ min: 0, max: 0xffffffff }),
  fc.constantFrom(0, 1, 2, 3, 0x7f, 0xff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff),
)
const MUTATION = fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), value: DWORD })
const SEED = fc.integer({ min: 0, max: seeds.length - 1 })

describe('validate never throws', () => {
  test('on any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => Array.isArray(validate(bytes))),
      { numRuns: 300, seed: 1 },
    )
  })

  test('on damaged containers', () => {
    fc.assert(
      fc.property(SEED, fc.array(MUTATION, { maxLength: 8 }), fc.constantFrom(1, 1, 0.7, 0.3), (seed, list, length) => {
        expect(Array.isArray(validate(mutated(seeds[seed]!, list, length)))).toBe(true)
      }),
      { numRuns: 2500, seed: 2 },
    )
  })

  test('on damaged programs', () => {
    fc.assert(
      fc.property(SEED, fc.array(MUTATION, { minLength: 1, maxLength: 12 }), (seed, list) => {
        const program = decodeProgram(mutated(codeChunk(seeds[seed]!), list, 1)).value
        if (program !== undefined) expect(Array.isArray(validate(program))).toBe(true)
      }),
      { numRuns: 3000, seed: 3 },
    )
  })
})

const WATCHDOG_MILLISECONDS = 30_000

describe('validate takes little time on what is built to take much', () => {
  /** A program of one statement, many times. */
  const repeated = (version: number, statement: readonly number[], count: number): Uint8Array => {
    const tokens = new Uint32Array(2 + statement.length * count)
    tokens[0] = version
    tokens[1] = tokens.length
    for (let i = 0; i < count; i++) tokens.set(statement, 2 + i * statement.length)
    return new Uint8Array(tokens.buffer)
  }
  const CS50 = 0x00050050
  const HS50 = 0x00030050

  test.each([
    ['nested loops', CS50, [0x01000030]],
    ['syncs that wait, in loops', CS50, [0x01000030, 0x01001fbe]],
    ['labels', CS50, [0x0200002c, 0x0000a000]],
    ['phases', HS50, [0x01000073]],
    ['declared temporaries', CS50, [0x02000068, 0xffffffff]],
    ['index ranges', HS50, [0x0400005b, 0x001010f2, 0, 0xffffffff]],
    ['index ranges without a mask', HS50, [0x0400005b, 0x00101002, 0, 0x40000000]],
    ['resources', CS50, [0x04000858, 0x00107000, 7, 0x5555]],
    ['interfaces', CS50, [0x04000092, 0, 1, 0x00010000]],
    ['switches', CS50, [0x0300004c, 0x00004001, 1]],
  ] as const)(
    '%s',
    (_name, version, statement) => {
      // Time that grows with the square of the count would be half a minute and more here; the limit is a watchdog for that.
      const program = decodeProgram(repeated(version, statement, 60_000)).value
      expect(program === undefined ? undefined : validate(program).length).toBeGreaterThan(0)
    },
    WATCHDOG_MILLISECONDS,
  )
})

test('a checksum that was made right again is no finding', () => {
  const bytes = seeds[0]!.slice()
  bytes[4]! ^= 0xff
  expect(validate(bytes).map((d) => d.code)).toEqual(['validate-checksum'])
  bytes.set(computeChecksum(bytes), 4)
  expect(validate(bytes)).toEqual([])
})
