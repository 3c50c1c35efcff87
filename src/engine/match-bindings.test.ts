import { describe, expect, it } from 'vitest'
import { parseProgram } from '../asm/index.ts'
import { valueOrThrow } from '../diagnostic/index.ts'
import {
  type Bindings,
  createBuffer,
  createCbv,
  createSampler,
  createSrv,
  createTexture,
  createUav,
} from '../machine/index.ts'
import { gatherDeclarations } from './gather/declarations.ts'
import { matchBindings } from './match-bindings.ts'

function match(declares: string, bindings: Bindings, body = '') {
  const text = `${declares.includes('space=') ? 'cs_5_1' : 'cs_5_0'}
dcl_globalFlags refactoringAllowed
${declares}
dcl_temps 1
dcl_thread_group 1, 1, 1
${body}
ret
`
  const declarations = valueOrThrow(gatherDeclarations(valueOrThrow(parseProgram(text))))
  const { value, diagnostics } = matchBindings(declarations, bindings)
  return {
    accepted: value !== undefined,
    codes: diagnostics.map((d) => d.code),
    messages: diagnostics.map((d) => d.message),
  }
}

const buffer = valueOrThrow(createBuffer({ byteLength: 64 }))
const structured = valueOrThrow(createBuffer({ byteLength: 64, stride: 16 }))
const texture = valueOrThrow(createTexture({ dimension: 'texture2d', format: 'R8G8B8A8_UNORM', width: 4, height: 4 }))
const FLOATS = '(float,float,float,float)'
const UINTS = '(uint,uint,uint,uint)'

describe('bindings that fit', () => {
  it.each<[string, string, Bindings]>([
    ['raw', 'dcl_uav_raw u0', { u0: createUav(buffer, { raw: true }) }],
    ['structured', 'dcl_resource_structured t0, 16', { t0: createSrv(structured) }],
    ['typed', `dcl_resource_buffer ${UINTS} t0`, { t0: createSrv(buffer, { format: 'R32_UINT' }) }],
    ['a texture', `dcl_resource_texture2d ${FLOATS} t0`, { t0: createSrv(texture) }],
    ['mixed types', 'dcl_resource_texture2d (mixed,mixed,mixed,mixed) t0', { t0: createSrv(texture) }],
    ['unorm for float', 'dcl_resource_texture2d (unorm,unorm,unorm,unorm) t0', { t0: createSrv(texture) }],
    ['a sampler', 'dcl_sampler s0, mode_default', { s0: createSampler() }],
    ['constants', 'dcl_constantbuffer CB0[1], immediateIndexed', { b0: createCbv(new Uint32Array(4)) }],
    ['more than is declared', '', { u5: createUav(buffer, { raw: true }) }],
  ])('%s', (_name, declares, bindings) => {
    expect(match(declares, bindings)).toEqual({ accepted: true, codes: [], messages: [] })
  })
})

describe('bindings that do not fit are refused with the slot, what is declared and what was given', () => {
  const cases: [string, string, Bindings, RegExp][] = [
    ['structured for raw', 'dcl_uav_raw u0', { u0: createUav(structured) }, /^u0: .*a raw buffer.*stride of 16/],
    [
      'raw for structured',
      'dcl_uav_structured u0, 16',
      { u0: createUav(buffer, { raw: true }) },
      /^u0: .*stride of 16.*raw view/,
    ],
    [
      'another stride',
      'dcl_resource_structured t0, 12',
      { t0: createSrv(structured) },
      /^t0: .*stride of 12.*stride of 16/,
    ],
    [
      'a texture for a buffer',
      `dcl_resource_buffer ${FLOATS} t0`,
      { t0: createSrv(texture) },
      /^t0: .*buffer.*texture2d/,
    ],
    [
      'another dimension',
      `dcl_resource_texture2darray ${FLOATS} t0`,
      { t0: createSrv(texture) },
      /^t0: .*texture2darray.*texture2d of/,
    ],
    [
      'another return type',
      `dcl_resource_texture2d ${UINTS} t0`,
      { t0: createSrv(texture) },
      /^t0: .*uint.*R8G8B8A8_UNORM.*float/,
    ],
    [
      'a sampler that does not compare',
      'dcl_sampler s0, mode_comparison',
      { s0: createSampler() },
      /^s0: .*a comparison sampler.*does not compare/,
    ],
    [
      'a sampler that compares',
      'dcl_sampler s0, mode_default',
      { s0: createSampler({ filter: 'COMPARISON_MIN_MAG_MIP_LINEAR' }) },
      /^s0: .*does not compare.*comparison/,
    ],
    [
      'an SRV in a UAV slot',
      'dcl_uav_raw u0',
      { u0: createSrv(buffer, { raw: true }) },
      /^u0: .*shader resource view.*unordered access view/,
    ],
  ]
  it.each(cases)('%s', (_name, declares, bindings, message) => {
    const { accepted, messages } = match(declares, bindings)
    expect(accepted).toBe(false)
    expect(messages.join('\n')).toMatch(message)
  })

  it('a view without the counter that the shader uses', () => {
    const { accepted, messages } = match('dcl_uav_structured_opc u0, 16', { u0: createUav(structured) })
    expect(accepted).toBe(false)
    expect(messages[0]).toMatch(/^u0: .*hidden counter/)
    expect(match('dcl_uav_structured_opc u0, 16', { u0: createUav(structured, { counter: 'append' }) }).accepted).toBe(
      true,
    )
  })

  it('a format without the atomics that the shader executes', () => {
    const typed = (format: string): Bindings => ({ u0: createUav(buffer, { format }) })
    const uints = `dcl_uav_typed_buffer ${UINTS} u0`
    expect(match(uints, typed('R8G8B8A8_UINT'), 'atomic_iadd u0, l(0), l(1)').messages[0]).toMatch(
      /^u0: .*atomics.*R8G8B8A8_UINT/,
    )
    expect(match(uints, typed('R32_UINT'), 'atomic_iadd u0, l(0), l(1)').accepted).toBe(true)
    expect(match(uints, typed('R8G8B8A8_UINT')).accepted).toBe(true)
    const floats = `dcl_uav_typed_buffer ${FLOATS} u0`
    expect(match(floats, typed('R32_FLOAT'), 'imm_atomic_exch r0.x, u0, l(0), l(1)').accepted).toBe(true)
    expect(match(floats, typed('R32_FLOAT'), 'imm_atomic_iadd r0.x, u0, l(0), l(1)').accepted).toBe(false)
  })

  it('a texture with another number of samples', () => {
    const options = { dimension: 'texture2d', format: 'R32_FLOAT', width: 4, height: 4, sampleCount: 4 } as const
    const bindings = { t0: createSrv(valueOrThrow(createTexture(options))) }
    expect(match(`dcl_resource_texture2dms(4) ${FLOATS} t0`, bindings).accepted).toBe(true)
    expect(match(`dcl_resource_texture2dms(0) ${FLOATS} t0`, bindings).accepted).toBe(true)
    expect(match(`dcl_resource_texture2dms(8) ${FLOATS} t0`, bindings).messages[0]).toMatch(/^t0: .*8 samples.*of 4/)
  })

  it('names that are no slots', () => {
    expect(match('', { v0: createSampler() }).codes).toEqual(['machine-binding-slot'])
  })
})

describe('a view whose format differs in signedness alone', () => {
  const SINTS = '(sint,sint,sint,sint)'
  it.each([
    ['t0', `dcl_resource_buffer ${UINTS} t0`, createSrv(buffer, { format: 'R32_SINT' })],
    ['t0', `dcl_resource_buffer ${SINTS} t0`, createSrv(buffer, { format: 'R32_UINT' })],
    ['u0', `dcl_uav_typed_buffer ${UINTS} u0`, createUav(buffer, { format: 'R32_SINT' })],
  ])('runs with a warning: %s, %s', (slot, declares, view) => {
    const text = `cs_5_0\ndcl_globalFlags refactoringAllowed\n${declares}\ndcl_thread_group 1, 1, 1\nret\n`
    const declarations = valueOrThrow(gatherDeclarations(valueOrThrow(parseProgram(text))))
    const { value, diagnostics } = matchBindings(declarations, { [slot]: view })
    expect(value).toBeDefined()
    expect(diagnostics.map((d) => [d.code, d.severity])).toEqual([['machine-binding-mismatch', 'warning']])
  })

  it('is refused for floats', () => {
    const view = createSrv(buffer, { format: 'R32_FLOAT' })
    expect(match(`dcl_resource_buffer ${SINTS} t0`, { t0: view }).accepted).toBe(false)
  })
})

describe('what is missing', () => {
  it('is a warning for each declared slot', () => {
    const { accepted, codes, messages } = match('dcl_uav_raw u0\ndcl_sampler s3, mode_default', {})
    expect(accepted).toBe(true)
    expect(codes).toEqual(['machine-binding-missing', 'machine-binding-missing'])
    expect(messages.join('\n')).toMatch(/^u0: .*\ns3: /)
  })

  it('is a hint where a constant buffer is shorter than declared', () => {
    const { accepted, messages } = match('dcl_constantbuffer CB0[2], immediateIndexed', {
      b0: createCbv(new Uint32Array(4)),
    })
    expect(accepted).toBe(true)
    expect(messages[0]).toMatch(/^b0: 16 bytes are bound of the 32/)
  })
})

describe('ranges of Shader Model 5.1', () => {
  const view = createSrv(buffer, { raw: true })

  it('are matched register by register, in their space', () => {
    const declares = 'dcl_resource_raw T0[2:3], space=1'
    expect(match(declares, { 't2,space1': view, 't3,space1': view }).codes).toEqual([])
    expect(match(declares, { 't2,space1': view, t3: view }).messages).toEqual([
      't3,space1: the shader declares the slot and nothing is bound to it',
    ])
    expect(match(declares, { 't2,space1': view, 't3,space1': createSrv(structured) }).messages[0]).toMatch(
      /^t3,space1: /,
    )
  })

  it('may have no end', () => {
    const declares = 'dcl_resource_raw T0[4:*], space=0'
    expect(match(declares, { t100: view }).codes).toEqual([])
    expect(match(declares, { t100: createSrv(structured) }).messages[0]).toMatch(/^t100: /)
    expect(match(declares, {}).codes).toEqual(['machine-binding-missing'])
    // The slot of another space is no register of this range.
    expect(match(declares, { t100: view, 't100,space3': createSrv(structured) }).codes).toEqual([])
  })
})
