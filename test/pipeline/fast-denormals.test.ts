import { describe, expect, it } from 'vitest'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { withFallback } from '../../src/engine/index.ts'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { createWasmEngineWith } from '../../src/engine/wasm/index.ts'
import { createPipeline, type PipelineShader } from '../../src/pipeline/index.ts'
import { at, draw, passVertices, pipelineShaderOf, type Scene, shaderOf } from '../support/draw-text.ts'
import { programOf } from '../support/run-text.ts'

/** Denormals in pixel shaders of draws with the precision `fast`: kept where a shader writes colors alone, flushed elsewhere. */

/** A pixel's x, at least 0.5, times 2^-120, 2^-20 and 2^100: the product between is a denormal, or 0. */
const scaled = (declares = '', body = ''): string =>
  [
    'ps_5_0',
    'dcl_input_ps_siv linear noperspective v0.xy, position',
    ...(declares === '' ? [] : [declares]),
    'dcl_output o0.xyzw',
    'dcl_temps 1',
    'mul r0.x, v0.x, l(0x03800000)',
    'mul r0.x, r0.x, l(0x35800000)',
    'mul o0.xyzw, r0.xxxx, l(0x71800000, 0x71800000, 0x71800000, 0x71800000)',
    ...(body === '' ? [] : [body]),
    'ret',
    '',
  ].join('\n')

const KEPT = 0.5 * 2 ** -40
const vertices = [at(-64, -64, 32, 32), at(128, -64, 32, 32), at(-64, 128, 32, 32)]

const ENGINES = [
  ['reference', createReferenceEngine({})],
  ['compiled', withFallback(createWasmEngineWith({ threads: 1 }), createReferenceEngine({}))],
] as const

describe.each(ENGINES)('pixel shaders of fast draws, %s', (_, engine) => {
  const first = (scene: Scene): number => {
    const drawn = draw({ vertices, width: 32, height: 32, ...scene }, engine)
    expect(drawn.result.stopped).toBeUndefined()
    return drawn.value(0, 0)
  }
  const fast: Scene['state'] = { precision: 'fast' }

  it('keep denormals where they write colors alone', () => {
    expect(first({ ps: scaled(), state: fast })).toBe(KEPT)
    expect(first({ ps: scaled() })).toBe(0)
  })

  it('keep them where a pixel may be discarded', () => {
    const ps = scaled('', 'lt r0.x, v0.x, l(0.0)\ndiscard_nz r0.x')
    expect(first({ ps, state: fast })).toBe(KEPT)
    expect(first({ ps })).toBe(0)
    // What it compares with 0 is its own.
    const tiny = scaled('', 'mov o0.xyzw, l(0.5, 0.5, 0.5, 0.5)\nlt r0.x, l(0.0), r0.x\ndiscard_nz r0.x')
    expect(first({ ps: tiny, state: fast })).toBe(0)
    expect(first({ ps: tiny })).toBe(0.5)
  })

  it('flush them where depth or coverage is written', () => {
    expect(first({ ps: scaled('dcl_output oDepth', 'mov oDepth, l(0.5)'), depth: 'D32_FLOAT', state: fast })).toBe(0)
    expect(first({ ps: scaled('dcl_output oMask', 'mov oMask, l(1)'), state: fast })).toBe(0)
    expect(first({ ps: scaled(), state: { ...fast, blend: { alphaToCoverageEnable: true } }, sampleCount: 1 })).toBe(0)
  })

  it('flush them in vertex shaders', () => {
    const vs = passVertices(1).replace(
      'ret',
      [
        'dcl_output o1.x',
        'dcl_temps 1',
        'mul r0.x, l(0x03800000), v0.w',
        'mul r0.x, r0.x, l(0x35800000)',
        'mul o1.x, r0.x, l(0x71800000)',
        'ret',
      ].join('\n'),
    )
    const ps = 'ps_5_0\ndcl_input_ps constant v1.x\ndcl_output o0.xyzw\nmov o0.xyzw, v1.xxxx\nret\n'
    expect(first({ vs, ps, state: fast })).toBe(0)
  })

  it('keep them, and sample exactly, where a pixel may be discarded', () => {
    const ps = scaled('', 'lt r0.x, v0.x, l(0.0)\ndiscard_nz r0.x')
    const loaded = valueOrThrow(engine.load(programOf(ps))).forFast!()
    expect([loaded!.options.denormals, loaded!.options.sampling]).toEqual(['keep', 'exact'])
    expect(valueOrThrow(engine.load(programOf(scaled()))).forFast!()!.options.sampling).toBe('fast')
  })

  const made = (pixel: PipelineShader): string | undefined => {
    const vertex = shaderOf('vs_5_0\ndcl_output_siv o0.xyzw, position\nmov o0.xyzw, l(0,0,0,1.0)\nret\n', engine)
    const description = { vertex, topology: 'TRIANGLELIST', pixel } as const
    const pipeline = valueOrThrow(createPipeline({ ...description, precision: 'fast' }))
    return pipeline.pixel!.loaded.options.denormals
  }

  it('keep what their options say', () => {
    const program = programOf(scaled())
    expect(made(pipelineShaderOf(valueOrThrow(engine.load(program))))).toBe('keep')
    expect(made(pipelineShaderOf(valueOrThrow(engine.load(program, { denormals: 'flush' }))))).toBe('flush')
    expect(made(pipelineShaderOf(valueOrThrow(engine.load(program, { denormals: 'keep' }))))).toBe('keep')
  })

  it('flush them where they write memory or whole numbers', () => {
    const writes = scaled('dcl_uav_raw u1', 'store_raw u1.x, l(0), r0.x')
    expect(made(pipelineShaderOf(valueOrThrow(engine.load(programOf(writes)))))).toBeUndefined()
    const colors = pipelineShaderOf(valueOrThrow(engine.load(programOf(scaled()))))
    const outputSignature = colors.outputSignature.map((r) => ({ ...r, type: 'uint' as const }))
    expect(made({ ...colors, outputSignature })).toBeUndefined()
  })
})
