import { describe, expect, test } from 'vitest'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import type { BatchExecution } from '../../src/engine/index.ts'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { createWasmEngineWith } from '../../src/engine/wasm/index.ts'
import { resolveBindings } from '../../src/machine/index.ts'
import { batchOf, quadsOf } from '../support/batches.ts'
import { compareStage } from '../support/differential-stages.ts'
import { bits } from '../support/draw-text.ts'
import { programOf } from '../support/run-text.ts'

/** Findings of graphics stages that compiled code must not miss: it tells them as the reference engine does, or is not made. */

const FOREVER = { time: Number.POSITIVE_INFINITY, deadline: Number.POSITIVE_INFINITY }

test.each([1, 2, 4] as const)('loads from control points that are not there, %i vectors a word', (width) => {
  // The index is of a complement, which the operations on it may read as the word that was loaded.
  const text = `gs_5_0
dcl_globalFlags refactoringAllowed
dcl_resource_raw t0
dcl_input v[1][0].xyzw
dcl_input vPrim
dcl_inputprimitive point
dcl_stream m0
dcl_outputtopology pointlist
dcl_output o0.xyzw
dcl_maxout 1
dcl_temps 8
dcl_indexableTemp x0[4], 4
mov r7.xy, vPrim
ishl r7.z, r7.x, l(2)
ld_raw r2.xyzw, r7.z, t0.zxzx
not r1.yz, r2.wxwx
swapc r0.xyzw, x0[3].xyz, r3.wwzx, r1.xywy, r3.xyzw
and r6.w, r1.z, l(1)
ine r6.x, v[r6.w][0].yyxy, -r4.wzyy
mov x0[r3.z + 0].x, l(1)
ret
`
  const engine = createWasmEngineWith({ width, threads: 1 })
  const setup = { isNumbered: true, waveWidth: ({ 1: 4, 2: 8, 4: 16 } as const)[width] }
  for (let seed = 0; seed < 8; seed++) {
    expect(compareStage(createReferenceEngine({}), engine, programOf(text), seed, setup)).toEqual({ kind: 'equal' })
  }
  engine.dispose?.()
})

/** A pixel shader with some code before and in flow that the pixels of a quad take apart. */
const pixelShader = (before: string, inside: string): string => `ps_5_0
dcl_input_ps linear v0.xy
dcl_output o0.xy
dcl_temps 3
mov o0.xy, l(0,0,0,0)
${before}
mov r0.x, l(0)
loop
  lt r0.y, v0.x, r0.x
  breakc_nz r0.y
  ${inside}
  add r0.x, r0.x, l(1.0)
endloop
ret
`

/** Codes that the reference engine reports where pixels stay 1, 2, 3 and 4 rounds. */
function reportedCodes(text: string): string[] {
  const shader = valueOrThrow(createReferenceEngine({}).load(programOf(text)))
  const begun = createReferenceEngine({}).begin(shader, valueOrThrow(resolveBindings({})), { kind: 'batches' })
  const e = valueOrThrow(begun) as BatchExecution
  const b = batchOf(e, 4, 0, { quads: quadsOf(4) })
  b.inputs.set([1, 2, 3, 4].map((v) => bits(v - 0.5)))
  e.start(b)
  e.run(FOREVER)
  return e.finish().diagnostics.map((d) => d.code)
}

describe('derivatives where the pixels of a quad are apart', () => {
  const refusals = (text: string): string[] =>
    createWasmEngineWith({ threads: 1 })
      .load(programOf(text))
      .diagnostics.map((d) => d.message)

  test.each([
    ['a constant', '', 'deriv_rty_coarse r1.x, l(0.5)'],
    ['a word that is known to be one', 'mov r1.x, l(2.0)', 'deriv_rtx_fine r1.y, r1.x'],
    ['a word from before the loop', 'mul r1.x, v0.x, v0.y', 'deriv_rtx r1.y, r1.x'],
    ['a word whose derivative is there already', 'mul r1.x, v0.x, v0.y\nderiv_rtx r1.z, r1.x', 'deriv_rtx r1.y, r1.x'],
    ['a copy of an input', 'mov r1.x, v0.y', 'deriv_rtx r1.y, r1.x'],
    ['a word of the round', '', 'deriv_rtx r1.y, r0.x'],
  ])('%s: found by the reference engine, which compiled code leaves it to', (_, before, inside) => {
    const text = pixelShader(before, inside)
    expect(reportedCodes(text)).toEqual(['engine-divergent-derivative'])
    expect(refusals(text)).toEqual(['a derivative in flow that pixels of a quad take apart'])
  })

  test.each([
    ['an input', '', 'deriv_rtx r1.y, v0.y'],
    ['nothing in the loop', 'mul r1.x, v0.x, v0.y\nderiv_rtx r1.y, r1.x', 'add r1.z, r1.y, l(1.0)'],
  ])('%s: nothing to find, and compiled', (_, before, inside) => {
    const text = pixelShader(before, inside)
    expect(reportedCodes(text)).toEqual([])
    expect(refusals(text)).toEqual([])
  })
})
