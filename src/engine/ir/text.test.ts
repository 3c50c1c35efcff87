import { describe, expect, it } from 'vitest'
import { normal, textOf } from '../../../test/support/ir-program.ts'
import { KERNEL_NAMES, readKernel } from '../../../test/support/kernel.ts'
import { valueOrThrow } from '../../diagnostic/index.ts'
import { threadsOf } from '../declarations.ts'
import { gatherComputeDeclarations } from '../gather/declarations.ts'
import { translate } from '../lower/translate.ts'
import { runPartsAtOnce } from '../next-task.ts'
import { optimize } from '../transform/optimize.ts'
import { parseRegion } from './parse.ts'
import type { Lowered } from './program.ts'
import { verify } from './verify.ts'

/** The text of intermediate code: what the printer writes the parser reads, and it means the same. */

function lower(name: string): Lowered {
  const declarations = valueOrThrow(gatherComputeDeclarations(readKernel(name).program))
  const options = { threads: threadsOf(declarations), keepDenormals: false, fused: false }
  return valueOrThrow(translate(declarations, options))
}

describe('intermediate code as text', () => {
  it.each(KERNEL_NAMES)('%s is read as it is printed, before and after it is optimized', (name) => {
    const lowered = lower(name)
    for (const made of [lowered, runPartsAtOnce(optimize(lowered))]) {
      const text = textOf(made)
      const read = parseRegion(text, { threads: made.builder.options.threads })
      expect(textOf(read)).toBe(text)
      expect(verify({ ...made, root: read.root })).toEqual([])
    }
  })

  it('has every kind of item', () => {
    const text = normal(`
      v0 = threadInGroup.0
      v1 = groupId.1
      v2 = descriptor.5
      v3 = constantBuffer.2 v0
      v4 = immediateConstant v0
      v5, v6 = load [srv 0, index v0 offset v1 stride 16 valid v3 (texture-bounds defined bad v3 address v0 limit v1 texel x v0 y v1)] 02 of 02 @4
      store [uav 1, offset v0 stride 0] bytes 2 v5 @5
      store [tgsm 0 64 16 4, index v0 offset 0x4 stride 16] v5, v6 @6
      v7 = load [srgb-table, offset v0 stride 0] 0 of 0 @7
      v8 = load [mip-table 2, offset v0 stride 32] 0 of 0 @8
      v9 = atomic add [uav 1, offset v0 stride 0] 0x1 @9
      atomic compare-exchange [uav 1, offset v0 stride 0] v9 compare 0x0 @10
      v10 = counter alloc 1 @11
      v11 = private-load 0 v0 3
      private-store 0 v0 2 v11
      v12, v13, v14, v15, v16 = filter v0, v0, v0, v0, v7, v8 @12
      v17, v18, v19, v20 = filter v0, v1, v7, v8, v1, v0, v8, v7, v9 @12
      report {"operand":2,"access":"load","weight":3,"unbound":{"binding":1,"address":0}} (unbound undefined bad v3 address v0 limit 0x0) @13
      barrier @14
      stop @15
      loop L0 cost 4 @16 {
        v21 = phi v0, v22
        block L1 {
          if v21 {
            break L1 0x1
          } else {
            break L0
          }
        }
        v22 = merge
      }
      v23 = input.7
      v24 = quadSwizzle.245 v23
      store [batch outputs 1024 1, offset v0 stride 0 valid 0xffffffff] v24 @17
    `)
    expect(textOf(parseRegion(text))).toBe(text)
  })

  it('says at which line it is no intermediate code', () => {
    expect(() => parseRegion('v0 = threadInGroup.0\nv1 = f32Add v0, v2')).toThrow('line 2')
    expect(() => parseRegion('v0 = unheard-of 0x1')).toThrow('line 1')
  })
})
