import { describe, expect, it } from 'vitest'
import { parseRegion } from './parse.ts'
import { type Rule, verify } from './verify.ts'

/** Each rule with programs that break it, and programs that come near and keep it. */

const rulesOf = (text: string): Rule[] => {
  const { root } = parseRegion(text)
  return [...new Set(verify({ root, privateArrays: [{ register: 0, count: 4 }] }).map((v) => v.rule))]
}

const SOUND: Readonly<Record<string, string>> = {
  'a value of an outer region in an inner one': `
    v0 = threadInGroup.3
    if v0 {
      v1 = i32Add v0, 0x1
      store [uav 0, offset v1 stride 0] v1
    } else {
    }`,
  'a merge of an if': `
    v0 = threadInGroup.3
    if v0 {
      v1 = i32Add v0, 0x1
    } else {
    }
    v2 = phi v1, v0
    store [uav 0, offset v2 stride 0] v2`,
  'a loop that is left': `
    loop L0 cost 2 @3 {
      v0 = phi 0x0, v2
      v1 = u32Less v0, 0x8
      if v1 {
      } else {
        break L0 v0
      }
      v2 = i32Add v0, 0x1
    }
    v3 = merge
    store [uav 0, offset v3 stride 0] v3`,
  'a block that is left early and at its end': `
    v0 = threadInGroup.0
    block L0 {
      if v0 {
        break L0 0x1
      } else {
      }
    } fallthrough 0x2
    v1 = merge
    store [uav 0, offset v1 stride 0] v1`,
  'a value of the one side of an if that goes on': `
    v0 = threadInGroup.0
    block L0 {
      if v0 {
        v1 = i32Add v0, 0x1
      } else {
        break L0 0x0
      }
      v2 = i32Mul v1, 0x3
    } fallthrough v2
    v3 = merge
    store [uav 0, offset v3 stride 0] v3`,
  doubles: `
    v0 = threadInGroup.0
    v1 = f64Pack v0, v0
    v2 = f64Add v1, v1
    v3 = f64ToF32 v2
    store [uav 0, offset v0 stride 0] v3`,
}

const BROKEN: readonly (readonly [Rule, name: string, text: string])[] = [
  [
    'visibility',
    'a value of one side of an if read behind it',
    `v0 = threadInGroup.0
     if v0 {
       v1 = not v0
     } else {
     }
     store [uav 0, offset v0 stride 0] v1`,
  ],
  [
    'visibility',
    "a value of a loop's inside read behind it",
    `loop L0 cost 1 @0 {
       v0 = threadInGroup.0
       break L0
     }
     store [uav 0, offset v0 stride 0] v0`,
  ],
  ['operand-types', 'too few operands', 'v0 = threadInGroup.0\nv1 = f32Add v0'],
  ['operand-types', 'a word where a double is needed', 'v0 = threadInGroup.0\nv1 = f64Add v0, v0'],
  ['operand-types', 'a double where a word is needed', 'v0 = threadInGroup.0\nv1 = f64Pack v0, v0\nv2 = not v1'],
  [
    'operand-types',
    'a double that is stored',
    'v0 = threadInGroup.0\nv1 = f64Pack v0, v0\nstore [uav 0, offset v0 stride 0] v1',
  ],
  ['input-range', 'a fourth coordinate of the group', 'v0 = groupId.3'],
  ['label', 'a break out of a block that is over', 'block L0 {\n} fallthrough\nbreak L0'],
  ['label', 'two blocks with one label', 'block L0 {\n} fallthrough\nblock L0 {\n} fallthrough'],
  [
    'merge-arity',
    'a break with an argument too few',
    `block L0 {
       break L0
     }
     v0 = merge
     store [uav 0, offset v0 stride 0] v0`,
  ],
  [
    'merge-input',
    'a merge of a value that the side does not have',
    `v0 = threadInGroup.0
     if v0 {
       v1 = not v0
     } else {
     }
     v2 = phi v0, v1
     store [uav 0, offset v0 stride 0] v2`,
  ],
  ['results', 'an atomic with two results', 'v0, v1 = atomic add [uav 0, offset 0x0 stride 0] 0x1'],
  ['results', 'a load with fewer results than dwords', 'v0 = load [srv 0, offset 0x0 stride 0] 01 of 01'],
  ['results', 'a merge that stands as a value', 'v0 = phi.0'],
  ['unreachable', 'a value behind a break', 'block L0 {\nbreak L0\nv0 = threadInGroup.0\nv1 = not v0\n}'],
  ['fallthrough', 'an end that is reached and has no arguments', 'block L0 {\nv0 = threadInGroup.0\n}'],
  ['fallthrough', 'an end with arguments that is not reached', 'block L0 {\nbreak L0\n} fallthrough'],
  ['atomic-operands', 'an addition that compares', 'atomic add [uav 0, offset 0x0 stride 0] 0x1 compare 0x2'],
  ['private-array', 'an array that there is not', 'private-store 1 0x0 0 0x1'],
  ['private-array', 'a fifth component', 'private-store 0 0x0 4 0x1'],
]

describe('the verifier', () => {
  it.each(Object.entries(SOUND))('finds nothing wrong with %s', (_, text) => expect(rulesOf(text)).toEqual([]))

  it.each(BROKEN)('%s: %s', (rule, _, text) => {
    expect(rulesOf(text)).toEqual([rule])
  })

  it('single-definition: one item in the list twice', () => {
    const { root } = parseRegion('v0 = threadInGroup.0\nv1 = not v0')
    root.items.push(root.items.at(-1)!)
    expect(verify({ root }).map((v) => v.rule)).toEqual(['single-definition'])
  })

  it('region: an item moved to another region', () => {
    const { root } = parseRegion('v0 = threadInGroup.0\nif v0 {\nv1 = not v0\n} else {\n}')
    const item = root.items.at(-1)!
    if (item.kind !== 'if') throw new Error('the if is missing')
    item.otherwise.items.push(...item.taken.items.splice(0))
    expect(verify({ root }).map((v) => v.rule)).toEqual(['region'])
  })

  it('region: a body of a loop that is no side of an if', () => {
    const { root } = parseRegion('loop L0 cost 1 @0 {\nbreak L0\n}')
    const loop = root.items.at(-1)!
    if (loop.kind !== 'loop') throw new Error('the loop is missing')
    const taken = loop.body
    const condition = parseRegion('').builder.constant(1)
    root.items.splice(0, root.items.length, { kind: 'value', value: { ...condition, region: root } })
    const own = (root.items[0] as { readonly value: typeof condition }).value
    taken.items.splice(0)
    root.items.push({ kind: 'if', condition: own, taken, otherwise: { ...taken, loopBody: false }, phis: [] })
    expect(verify({ root }).map((v) => v.rule)).toEqual(['region'])
  })

  it('binding: memory of another kind, and of no binding', () => {
    const uses = [{ register: 't', slot: 0, key: 0, resource: undefined, constantCount: 0 }] as const
    const rules = (text: string): Rule[] =>
      verify({ root: parseRegion(text).root, bindings: { uses } }).map((v) => v.rule)
    expect(rules('v0 = load [srv 0, offset 0x0 stride 0] 0 of 0')).toEqual([])
    expect(rules('store [uav 0, offset 0x0 stride 0] 0x1')).toEqual(['binding'])
    expect(rules('v0 = load [srv 1, offset 0x0 stride 0] 0 of 0')).toEqual(['binding'])
    expect(rules('v0 = constantBuffer.0 0x0')).toEqual(['binding'])
  })
})
