import { describe, expect, it } from 'vitest'
import { irProgram } from '../../../test/support/ir-program.ts'
import type { Facts } from '../ir/facts.ts'
import { valuesMade } from '../ir/walk.ts'
import { FactFinder } from './find-facts.ts'
import { collectInputs, type MergeInputs } from './merge-inputs.ts'

/** Facts of a named value, found through the merges of loops. */
function factsOf(text: string, name: string): Facts {
  const { root, builder, values } = irProgram(text)
  const inputs: MergeInputs = new Map()
  collectInputs(root, inputs)
  const live = new Set(root.items.flatMap((item) => [...valuesMade(item)]))
  const finder = new FactFinder(builder, inputs, (v) => v, live)
  finder.run(root)
  return finder.of(values.get(name)!)
}

const loop = (start: string, lines: string): string => `
  v0 = threadInGroup.0
  loop L0 cost 1 @0 {
    v1 = phi ${start}, v9
    ${lines}
    v8 = u32Less v0, 0x5
    if v8 {
      break L0
    } else {
    }
  }`

describe('facts through loops', () => {
  it('a merge of masks is a mask', () => {
    expect(factsOf(loop('0x0', 'v9 = not v1'), 'v1')).toMatchObject({ mask: true, flushed: true })
    expect(factsOf(loop('0x1', 'v9 = not v1'), 'v1')).toMatchObject({ mask: false })
  })

  it('bits that are never set in any iteration stay clear', () => {
    // 0x30 | (x & 0xc): bits 2 to 5.
    const text = loop('0x30', 'v2 = and v0, 0xc\nv9 = or v1, v2')
    expect(factsOf(text, 'v1').maybe).toBe(0x3c)
  })

  it('a counter may have any bit', () => {
    expect(factsOf(loop('0x0', 'v9 = i32Add v1, 0x1'), 'v1').maybe).toBe(0xffffffff)
  })

  it('a float that is flushed in each iteration is flushed at the head, where its start is', () => {
    expect(factsOf(loop('0x3f800000', 'v2 = f32Add v1, v1\nv9 = flushDenormal v2'), 'v1').flushed).toBe(true)
    expect(factsOf(loop('0x00000001', 'v2 = f32Add v1, v1\nv9 = flushDenormal v2'), 'v1').flushed).toBe(false)
    expect(factsOf(loop('0x3f800000', 'v9 = f32Add v1, v1'), 'v1').flushed).toBe(false)
  })

  it('the larger of a number and what came before is a number', () => {
    expect(factsOf(loop('0x3f800000', 'v2 = f32Sqrt v1\nv9 = f32Max v2, 0x0'), 'v1').number).toBe(true)
    expect(factsOf(loop('0x3f800000', 'v9 = f32Sqrt v1'), 'v1').number).toBe(false)
  })
})
