import { describe, expect, it } from 'vitest'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { createWasmEngineWith } from '../../src/engine/wasm/index.ts'
import { createUav } from '../../src/machine/index.ts'
import { sampleOffsets } from '../../src/pipeline/raster/index.ts'
import { compareStage } from '../support/differential-stages.ts'
import { at, bits, draw, type Scene, viewportOf, wordsBuffer } from '../support/draw-text.ts'
import { programOf } from '../support/run-text.ts'

// What pixel shaders read and leave (functional specification 16): frequencies, coverage, tests early and late, outputs.

/** A triangle that covers a 4x4 target as a whole, at a depth. */
const full = (z = 0.5, w = 1): number[][] => [at(-8, -8, 4, 4, z, w), at(24, -8, 4, 4, z, w), at(-8, 24, 4, 4, z, w)]
const UINT = ['R32G32B32A32_UINT'] as const

const ps = (declares: string, body: string, temps = 4): string =>
  `ps_5_0\n${declares}\ndcl_output o0.xyzw\ndcl_temps ${temps}\n${body}\nret\n`

describe('per-sample shading', () => {
  it('runs once for each covered sample, with its index, at the same center', () => {
    const drawn = draw({
      vertices: full(),
      sampleCount: 4,
      ps: ps(
        'dcl_input_ps_siv linear_noperspective v0.xy, position\ndcl_input_ps_sgv constant v1.x, sampleIndex',
        'utof r0.x, v1.x\nadd r0.yz, v0.xxyx, l(0,0,0,0)\nmov o0.xyz, r0.xyzx\nmov o0.w, l(0)',
      ),
    })
    for (let s = 0; s < 4; s++) {
      expect([0, 1, 2].map((c) => drawn.value(1, 2, c, 0, s))).toEqual([s, 1.5, 2.5])
    }
    expect(drawn.result.statistics.psInvocations).toBe(64)
  })

  it('gives a sample-mode position the place of the sample', () => {
    for (const count of [2, 4, 8, 16] as const) {
      const drawn = draw({
        vertices: full(),
        sampleCount: count,
        ps: ps('dcl_input_ps_siv linear_noperspective_sample v0.xy, position', 'mov o0.xyzw, v0.xyxy'),
      })
      const offsets = sampleOffsets(count)
      for (let s = 0; s < count; s++) {
        const want = [3.5 + offsets[s * 2]! / 256, 1.5 + offsets[s * 2 + 1]! / 256]
        expect([drawn.value(3, 1, 0, 0, s), drawn.value(3, 1, 1, 0, s)]).toEqual(want)
      }
      expect(drawn.result.statistics.psInvocations).toBe(16 * count)
    }
  })

  it('leaves out samples that the sample mask does not have', () => {
    const drawn = draw({
      vertices: full(),
      sampleCount: 4,
      state: { sampleMask: 0b1010 },
      ps: ps(
        'dcl_input_ps_sgv constant v1.x, sampleIndex',
        'utof r0.x, v1.x\nadd o0.xyzw, r0.xxxx, l(1.0,1.0,1.0,1.0)',
      ),
    })
    expect([0, 1, 2, 3].map((s) => drawn.value(0, 0, 0, 0, s))).toEqual([0, 2, 0, 4])
    expect(drawn.result.statistics.psInvocations).toBe(32)
    expect(drawn.result.samplesPassed).toBe(32)
  })

  it('asks the rasterizer about samples', () => {
    const body =
      'sampleinfo_uint o0.x, rasterizer.x\nsamplepos r0.xy, rasterizer.xyxx, l(1)\nmov o0.yz, r0.xxyx\nsamplepos r0.xy, rasterizer.xyxx, l(20)\nadd o0.w, r0.x, r0.y'
    const four = draw({ vertices: full(), sampleCount: 4, ps: ps('', body) })
    expect([four.word(0, 0), four.value(0, 0, 1), four.value(0, 0, 2), four.value(0, 0, 3)]).toEqual([
      4,
      6 / 16,
      -2 / 16,
      0,
    ])
    const one = draw({ vertices: full(), ps: ps('', body) })
    expect([one.word(0, 0), one.value(0, 0, 1), one.value(0, 0, 3)]).toEqual([1, 0, 0])
  })
})

describe('coverage', () => {
  // The square of pixel (1, 1), cut by its diagonal from the lower left to the upper right: the upper left half.
  const half = [at(1, 1, 4, 4), at(2, 1, 4, 4), at(1, 2, 4, 4)]
  const HALF = [0, 1, 2, 3].reduce((mask, s) => {
    const o = sampleOffsets(4)
    return o[s * 2]! + o[s * 2 + 1]! < 0 ? mask | (1 << s) : mask
  }, 0)
  const coverage = ps('dcl_input vCoverage.x', 'mov o0.xyzw, vCoverage.xxxx')

  it("in is the primitive's in the pixel, with the sample mask, at either frequency", () => {
    expect(HALF).toBe(0b0101)
    const pixel = draw({ vertices: half, sampleCount: 4, targets: UINT, ps: coverage })
    const mask = (d: ReturnType<typeof draw>): number[] => [0, 1, 2, 3].map((s) => d.word(1, 1, 0, 0, s))
    expect(mask(pixel)).toEqual([HALF, 0, HALF, 0])
    const sample = draw({
      vertices: half,
      sampleCount: 4,
      targets: UINT,
      ps: ps('dcl_input vCoverage.x\ndcl_input_ps_sgv constant v1.x, sampleIndex', 'mov o0.xyzw, vCoverage.xxxx'),
    })
    expect(mask(sample)).toEqual([HALF, 0, HALF, 0])
    const masked = draw({ vertices: half, sampleCount: 4, targets: UINT, state: { sampleMask: 0b0011 }, ps: coverage })
    expect(mask(masked)).toEqual([1, 0, 0, 0])
  })

  it('in is not changed by tests of depth', () => {
    const scene: Scene = { vertices: half, sampleCount: 4, targets: UINT, depth: 'D32_FLOAT', ps: coverage }
    const first = draw({ ...scene, state: { sampleMask: 1 } })
    // Sample 0 holds the depth of the same triangle now: it fails, and the shader still sees the whole coverage.
    const again = draw({ ...scene, resources: { renderTargets: first.targets, depthStencil: first.depth } })
    expect([0, 1, 2, 3].map((s) => again.word(1, 1, 0, 0, s))).toEqual([1, 0, HALF, 0])
  })

  it('out takes samples away from color, depth and counts', () => {
    const drawn = draw({
      vertices: full(0.25),
      sampleCount: 4,
      depth: 'D32_FLOAT',
      ps: ps('dcl_output oMask', 'mov oMask, l(0xfffffff6)\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)'),
    })
    expect([0, 1, 2, 3].map((s) => drawn.value(0, 0, 0, 0, s))).toEqual([0, 1, 1, 0])
    expect([0, 1, 2, 3].map((s) => drawn.depthWord(0, 0, s))).toEqual([bits(1), bits(0.25), bits(0.25), bits(1)])
    expect(drawn.result.samplesPassed).toBe(32)
  })

  it('out counts without a depth buffer too, and with one that is not written', () => {
    for (const state of [
      {},
      { depthStencil: { depthWriteMask: 'ZERO' } },
      { depthStencil: { depthEnable: false } },
    ] as const) {
      for (const depth of [undefined, 'D32_FLOAT']) {
        const drawn = draw({
          vertices: full(),
          sampleCount: 4,
          state,
          ...(depth === undefined ? {} : { depth }),
          ps: ps('dcl_output oMask', 'mov oMask, l(2)\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)'),
        })
        expect([0, 1, 2, 3].map((s) => drawn.value(2, 2, 0, 0, s))).toEqual([0, 1, 0, 0])
        expect(drawn.result.samplesPassed).toBe(16)
      }
    }
  })

  it('out at sample frequency counts by the bit of the sample', () => {
    const drawn = draw({
      vertices: full(),
      sampleCount: 4,
      ps: ps(
        'dcl_input_ps_sgv constant v1.x, sampleIndex\ndcl_output oMask',
        'mov oMask, l(9)\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)',
      ),
    })
    expect([0, 1, 2, 3].map((s) => drawn.value(0, 0, 0, 0, s))).toEqual([1, 0, 0, 1])
  })

  it('by alpha: none, all, monotone between; the coverage output switches it off', () => {
    const scene = (alpha: string, more = ''): Scene => ({
      vertices: full(),
      sampleCount: 4,
      state: { blend: { alphaToCoverageEnable: true } },
      ps: ps(more, `${more === '' ? '' : 'mov oMask, l(15)\n'}mov o0.xyzw, l(1.0,1.0,1.0,${alpha})`),
    })
    const count = (alpha: string, more?: string): number => draw(scene(alpha, more)).result.samplesPassed / 16
    expect(count('0.0')).toBe(0)
    expect(count('-1.0')).toBe(0)
    expect(count('1.0')).toBe(4)
    expect(count('7.0')).toBe(4)
    expect(count('0x7fc00000')).toBe(0)
    const counts = [0.1, 0.3, 0.5, 0.7, 0.9].map((a) => count(a.toFixed(1)))
    expect([...counts].sort((a, b) => a - b)).toEqual(counts)
    expect([1, 2, 3]).toContain(counts[2])
    expect(count('0.0', 'dcl_output oMask')).toBe(4)
  })

  it('by alpha for one sample too: 0 draws nothing', () => {
    for (const [alpha, want] of [
      ['0.0', 0],
      ['1.0', 0xffff],
    ] as const) {
      const state = { blend: { alphaToCoverageEnable: true } }
      expect(draw({ vertices: full(), state, ps: ps('', `mov o0.xyzw, l(1.0,1.0,1.0,${alpha})`) }).mask()).toBe(want)
    }
  })
})

describe('discard and the depth test', () => {
  const discard = (flags: string): string =>
    ps(
      `${flags}\ndcl_input_ps_siv linear_noperspective v0.xy, position`,
      'lt r0.x, v0.x, l(2.0)\ndiscard_nz r0.x\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)',
    )

  it('discarded pixels leave color, depth and counts alone', () => {
    const drawn = draw({ vertices: full(0.25), depth: 'D32_FLOAT', ps: discard('') })
    expect(drawn.mask()).toBe(0xcccc)
    expect([drawn.depthWord(1, 1), drawn.depthWord(2, 1)]).toEqual([bits(1), bits(0.25)])
    expect(drawn.result.samplesPassed).toBe(8)
    expect(drawn.result.statistics.psInvocations).toBe(16)
  })

  it('counts what is left where depth is not written either', () => {
    for (const depthStencil of [{ depthEnable: false }, { depthWriteMask: 'ZERO' }] as const) {
      const drawn = draw({ vertices: full(0.25), depth: 'D32_FLOAT', state: { depthStencil }, ps: discard('') })
      expect(drawn.result.samplesPassed).toBe(8)
    }
  })

  it('forced early tests write depth before the discard, and count there', () => {
    const drawn = draw({
      vertices: full(0.25),
      depth: 'D32_FLOAT',
      ps: discard('dcl_globalFlags refactoringAllowed | forceEarlyDepthStencil'),
    })
    expect(drawn.mask()).toBe(0xcccc)
    expect([drawn.depthWord(1, 1), drawn.depthWord(2, 1)]).toEqual([bits(0.25), bits(0.25)])
    expect(drawn.result.samplesPassed).toBe(16)
  })

  it('forced early tests ignore depth outputs, and leave the coverage output its colors', () => {
    const drawn = draw({
      vertices: full(0.25),
      sampleCount: 4,
      depth: 'D32_FLOAT',
      ps: ps(
        'dcl_globalFlags refactoringAllowed | forceEarlyDepthStencil\ndcl_output oDepth\ndcl_output oMask',
        'mov oDepth, l(0.75)\nmov oMask, l(3)\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)',
      ),
    })
    expect([0, 1, 2, 3].map((s) => drawn.value(0, 0, 0, 0, s))).toEqual([1, 1, 0, 0])
    expect(drawn.depthWord(0, 0, 3)).toBe(bits(0.25))
    expect(drawn.result.samplesPassed).toBe(64)
  })

  const count = (flags: string, body = ''): string =>
    ps(`${flags}\ndcl_uav_raw u1`, `${body}\natomic_iadd u1, l(0), l(1)\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)`)
  const counted = (text: string): { words: number; passed: number } => {
    const buffer = wordsBuffer(4)
    const drawn = draw({
      vertices: full(0.5),
      depth: 'D32_FLOAT',
      depthValue: 0.25,
      ps: text,
      resources: { unorderedAccess: { u1: createUav(buffer, { raw: true }) } },
    })
    return { words: buffer.storage.words[0]!, passed: drawn.result.samplesPassed }
  }

  it('a shader with UAVs runs though all fail, unless early tests are forced', () => {
    expect(counted(count(''))).toEqual({ words: 16, passed: 0 })
    expect(counted(count('dcl_globalFlags refactoringAllowed | forceEarlyDepthStencil'))).toEqual({
      words: 0,
      passed: 0,
    })
  })

  it('what is done to memory before a discard stands, what comes after does not happen', () => {
    const buffer = wordsBuffer(4)
    draw({
      vertices: full(),
      ps: ps(
        'dcl_uav_raw u1',
        'atomic_iadd u1, l(0), l(1)\ndiscard_nz l(1)\natomic_iadd u1, l(4), l(1)\nstore_raw u1.x, l(8), l(7)\nmov o0.xyzw, l(0,0,0,0)',
      ),
      resources: { unorderedAccess: { u1: createUav(buffer, { raw: true }) } },
    })
    expect([...buffer.storage.words.subarray(0, 3)]).toEqual([16, 0, 0])
  })

  it('helpers do nothing to memory; their atomics give 0', () => {
    const buffer = wordsBuffer(4)
    // One pixel of a quad; the other three are helpers, whose atomics show in the derivative.
    const drawn = draw({
      vertices: [at(0.25, 0.25, 4, 4), at(0.9, 0.25, 4, 4), at(0.25, 0.9, 4, 4)],
      ps: ps(
        'dcl_uav_raw u1',
        'imm_atomic_iadd r0.x, u1, l(0), l(5)\nadd r0.x, r0.x, l(7.0)\nderiv_rtx_fine r0.y, r0.x\nmov o0.xyzw, r0.xyxx',
      ),
      resources: { unorderedAccess: { u1: createUav(buffer, { raw: true }) } },
    })
    expect(drawn.mask()).toBe(1)
    expect(buffer.storage.words[0]).toBe(5)
    expect([drawn.value(0, 0, 0), drawn.value(0, 0, 1)]).toEqual([7, 0])
    expect(drawn.result.statistics.psInvocations).toBe(1)
  })
})

describe('depth outputs', () => {
  const depthOut = (register: string, word: string): Scene => ({
    vertices: full(0.5),
    depth: 'D32_FLOAT',
    ps: ps(`dcl_output ${register}`, `mov ${register}, l(${word})\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)`),
  })

  it.each(['oDepth', 'oDepthGE', 'oDepthLE'])('%s replaces depth in test and buffer', (register) => {
    expect(draw(depthOut(register, '0.75')).depthWord(0, 0)).toBe(bits(0.75))
    const fails = draw({ ...depthOut(register, '0.75'), depthValue: 0.6 })
    expect([fails.mask(), fails.depthWord(0, 0), fails.result.statistics.psInvocations]).toEqual([0, bits(0.6), 16])
  })

  it('oDepth is clamped to the viewport; NaN becomes its least depth', () => {
    const viewports = [viewportOf(4, 4, { minDepth: 0.25, maxDepth: 0.5 })]
    const written = (word: string): number =>
      draw({ ...depthOut('oDepth', word), resources: { viewports } }).depthWord(0, 0)
    expect(written('0.0')).toBe(bits(0.25))
    expect(written('2.0')).toBe(bits(0.5))
    expect(written('0x7fc00000')).toBe(bits(0.25))
    expect(written('0x7f800000')).toBe(bits(0.5))
  })

  it('goes to all samples of a pixel, and to the one of a sample-frequency shader', () => {
    const drawn = draw({
      vertices: full(),
      sampleCount: 4,
      depth: 'D32_FLOAT',
      ps: ps(
        'dcl_input_ps_sgv constant v1.x, sampleIndex\ndcl_output oDepth',
        'utof r0.x, v1.x\nmul r0.x, r0.x, l(0.125)\nmov oDepth, r0.x\nmov o0.xyzw, l(0,0,0,0)',
      ),
    })
    expect([0, 1, 2, 3].map((s) => drawn.depthWord(1, 1, s))).toEqual([0, 0.125, 0.25, 0.375].map(bits))
  })

  it('writing the input depth changes nothing, bit for bit', () => {
    const vertices = [at(-3, -2, 4, 4, 0.137, 1.5), at(11, 0.3, 4, 4, 0.71, 2.25), at(-2.7, 9, 4, 4, 0.93, 0.7)]
    const words = (text?: string): number[] => {
      const drawn = draw({ vertices, depth: 'D32_FLOAT', ...(text === undefined ? {} : { ps: text }) })
      return Array.from({ length: 16 }, (_, i) => drawn.depthWord(i % 4, i >> 2))
    }
    const through = ps(
      'dcl_input_ps_siv linear_noperspective v0.z, position\ndcl_output oDepth',
      'mov oDepth, v0.z\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)',
    )
    expect(words(through)).toEqual(words())
    expect(new Set(words()).size).toBeGreaterThan(8)
  })

  it("a stencil reference of the shader replaces the state's, 8 bits of it", () => {
    const face = {
      stencilFunc: 'ALWAYS',
      stencilPassOp: 'REPLACE',
      stencilFailOp: 'KEEP',
      stencilDepthFailOp: 'KEEP',
    } as const
    const drawn = draw({
      vertices: full(0.5),
      depth: 'D24_UNORM_S8_UINT',
      state: { depthStencil: { stencilEnable: true, frontFace: face, backFace: face } },
      ps: ps(
        'dcl_input_ps_siv linear_noperspective v0.x, position\ndcl_output oStencilRef',
        'ftou r0.x, v0.x\niadd r0.x, r0.x, l(0x140)\nmov oStencilRef, r0.x\nmov o0.xyzw, l(0,0,0,0)',
      ),
    })
    expect([0, 1, 2, 3].map((x) => drawn.depthWord(x, 0) >>> 24)).toEqual([0x40, 0x41, 0x42, 0x43])
  })
})

describe('render targets', () => {
  it('take what their register was given; one that the shader does not declare stays as it is', () => {
    const text =
      'ps_5_0\ndcl_output o0.xyzw\ndcl_output o2.xyzw\nmov o0.xyzw, l(1.0,2.0,3.0,4.0)\nmov o2.xyzw, l(5.0,6.0,7.0,8.0)\nret\n'
    const format = 'R32G32B32A32_FLOAT'
    const drawn = draw({ vertices: full(), ps: text, targets: [format, format, format] })
    const texel = (target: number): number[] => [0, 1, 2, 3].map((c) => drawn.value(0, 0, c, target))
    expect([texel(0), texel(1), texel(2)]).toEqual([
      [1, 2, 3, 4],
      [0, 0, 0, 0],
      [5, 6, 7, 8],
    ])
  })

  it('that are not bound take nothing; depth and the others go on', () => {
    const text =
      'ps_5_0\ndcl_output o0.xyzw\ndcl_output o1.xyzw\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)\nmov o1.xyzw, l(2.0,2.0,2.0,2.0)\nret\n'
    const drawn = draw({ vertices: full(0.25), ps: text, targets: [undefined, 'R32_FLOAT'], depth: 'D32_FLOAT' })
    expect(drawn.value(0, 0, 0, 1)).toBe(2)
    expect(drawn.depthWord(0, 0)).toBe(bits(0.25))
  })

  it('blend two sources of one shader', () => {
    const text =
      'ps_5_0\ndcl_output o0.xyzw\ndcl_output o1.xyzw\nmov o0.xyzw, l(4.0,4.0,4.0,1.0)\nmov o1.xyzw, l(0.5,0.25,0.125,1.0)\nret\n'
    const drawn = draw({
      vertices: full(),
      ps: text,
      state: { blend: { renderTarget: [{ blendEnable: true, srcBlend: 'SRC1_COLOR', destBlend: 'ONE' }] } },
    })
    expect([0, 1, 2].map((c) => drawn.value(0, 0, c))).toEqual([2, 1, 0.5])
  })

  it('and no target at all: depth, counts and memory alone', () => {
    const drawn = draw({ vertices: full(0.25), targets: [], depth: 'D32_FLOAT', ps: 'ps_5_0\nret\n' })
    expect(drawn.depthWord(3, 3)).toBe(bits(0.25))
    expect(drawn.result.samplesPassed).toBe(16)
  })
})

describe('draws with nothing but UAVs', () => {
  const text =
    'ps_5_0\ndcl_uav_raw u0\ndcl_input_ps_siv linear_noperspective v0.xy, position\ndcl_temps 2\nftou r0.xy, v0.xyxx\nimad r0.x, r0.y, l(8), r0.x\nishl r0.x, r0.x, l(2)\nsampleinfo_uint r1.x, rasterizer.x\natomic_iadd u0, r0.x, r1.x\nret\n'

  it('run over the viewport, one sample a pixel; the sample mask has no effect', () => {
    for (const [forcedSampleCount, samples] of [
      [0, 1],
      [1, 1],
      [4, 4],
      [16, 16],
    ] as const) {
      const buffer = wordsBuffer(64)
      draw({
        vertices: full(),
        targets: [],
        ps: text,
        state: { sampleMask: 0, rasterizer: { forcedSampleCount }, depthStencil: { depthEnable: false } },
        resources: { unorderedAccess: { u0: createUav(buffer, { raw: true }) }, viewports: [viewportOf(6.75, 5.5)] },
      })
      const lit = Array.from({ length: 64 }, (_, i) => (i % 8 < 6 && i < 40 ? samples : 0))
      expect([...buffer.storage.words.subarray(0, 64)], `${forcedSampleCount}`).toEqual(lit)
    }
  })
})

describe('a forced sample count', () => {
  const off = { depthEnable: false } as const
  // A triangle that covers sample 1 of pixel (1, 1) alone, of four.
  const offsets = sampleOffsets(4)
  const [sx, sy] = [1.5 + offsets[2]! / 256, 1.5 + offsets[3]! / 256]
  const small = [
    at(sx - 1 / 32, sy - 1 / 32, 4, 4),
    at(sx + 1 / 8, sy - 1 / 32, 4, 4),
    at(sx - 1 / 32, sy + 1 / 8, 4, 4),
  ]
  const scene: Scene = {
    vertices: small,
    targets: UINT,
    state: { rasterizer: { forcedSampleCount: 4 }, depthStencil: off },
    ps: ps('dcl_input vCoverage.x', 'mov o0.xyzw, vCoverage.xxxx'),
  }

  it('decides which pixels run, and what coverage they see', () => {
    const drawn = draw(scene)
    expect(drawn.mask()).toBe(1 << 5)
    expect(drawn.word(1, 1)).toBe(2)
    expect(drawn.result.samplesPassed).toBe(1)
    const whole = draw({ ...scene, vertices: full() })
    expect([whole.word(0, 0), whole.result.samplesPassed, whole.result.statistics.psInvocations]).toEqual([15, 64, 16])
  })

  it('leaves the sample mask to the output', () => {
    const masked = (sampleMask: number): Scene => ({ ...scene, state: { ...scene.state, sampleMask } })
    expect(draw(masked(1)).word(1, 1)).toBe(2)
    const none = draw(masked(2))
    expect([none.mask(), none.result.samplesPassed, none.result.statistics.psInvocations]).toEqual([0, 0, 0])
  })

  it('of 1 draws to all samples of a multisampled target that the mask has', () => {
    const drawn = draw({
      vertices: full(),
      sampleCount: 4,
      state: { rasterizer: { forcedSampleCount: 1 }, depthStencil: off, sampleMask: 0b1011 },
    })
    expect([0, 1, 2, 3].map((s) => drawn.value(0, 0, 0, 0, s))).toEqual([1, 1, 0, 1])
    expect(drawn.result.samplesPassed).toBe(16)
  })

  it('counts nothing where the coverage output takes the output away', () => {
    const drawn = draw({
      ...scene,
      vertices: full(),
      ps: ps('dcl_output oMask', 'mov oMask, l(0xe)\nmov o0.xyzw, l(1,1,1,1)'),
    })
    expect([drawn.mask(), drawn.result.samplesPassed]).toEqual([0, 0])
  })
})

describe('rasterizer ordered views', () => {
  it('take the accesses of one pixel in the order of the primitives', () => {
    // Primitive n sets bit n of a word, by a load and a store: none is lost, for every width of a wave.
    const text =
      'ps_5_0\ndcl_uav_raw_rov u1\ndcl_input_ps_siv linear_noperspective v0.xy, position\ndcl_input_ps_sgv constant v1.x, primitive_id\ndcl_output o0.xyzw\ndcl_temps 2\nftou r0.xy, v0.xyxx\nimad r0.x, r0.y, l(4), r0.x\nishl r0.x, r0.x, l(2)\nld_raw r1.x, r0.x, u1.xxxx\nimul null, r1.x, r1.x, l(3)\niadd r1.x, r1.x, v1.x\nstore_raw u1.x, r0.x, r1.x\nmov o0.xyzw, r1.xxxx\nret\n'
    const vertices = Array.from({ length: 31 }, () => full()).flat()
    const want = Array.from({ length: 31 }, (_, i) => i).reduce((n, i) => (Math.imul(n, 3) + i) >>> 0, 0)
    for (const waveWidth of [4, 8, 32, 64] as const) {
      const buffer = wordsBuffer(16)
      draw({
        vertices,
        ps: text,
        targets: UINT,
        resources: { unorderedAccess: { u1: createUav(buffer, { raw: true }) } },
        options: { schedule: { waveWidth, order: 'forward', groupsInFlight: 1 } },
      })
      expect([...buffer.storage.words.subarray(0, 16)]).toEqual(Array(16).fill(want))
    }
  })
})

describe('without a pixel shader', () => {
  it('depth and stencil are written, nothing is invoked', () => {
    const drawn = draw({ vertices: full(0.25), ps: null, depth: 'D32_FLOAT' })
    expect(drawn.depthWord(2, 2)).toBe(bits(0.25))
    expect(drawn.mask()).toBe(0)
    expect(drawn.result.samplesPassed).toBe(16)
    expect(drawn.result.statistics).toMatchObject({ cInvocations: 1, cPrimitives: 1, psInvocations: 0 })
  })

  it('and without depth and stencil the rasterizer is off; the state alone counts', () => {
    const off = draw({ vertices: full(), ps: null, state: { depthStencil: { depthEnable: false } } })
    expect(off.result.statistics).toMatchObject({ vsInvocations: 3, cInvocations: 0, cPrimitives: 0, psInvocations: 0 })
    const on = draw({ vertices: full(), ps: null })
    expect(on.result.statistics).toMatchObject({ cInvocations: 1, cPrimitives: 1, psInvocations: 0 })
  })

  it('a shader without outputs is a shader all the same', () => {
    const drawn = draw({ vertices: full(), ps: 'ps_5_0\nret\n', state: { depthStencil: { depthEnable: false } } })
    expect(drawn.result.statistics.psInvocations).toBe(16)
  })
})

describe('discard in flow that takes quads apart', () => {
  // The condition is known before the loop; pixels that do not come to it are not discarded all the same.
  it.each(['discard_nz l(1)', 'discard_nz r0.z'])('ends no quad of which a pixel is elsewhere: %s', (discard) => {
    const text = `ps_5_0
dcl_constantbuffer CB0[4], dynamicIndexed
dcl_input_ps linear v1.xyzw
dcl_output o0.xyzw
dcl_temps 1
and r0.y, v1.x, l(1)
lt r0.z, l(1.0), l(2.0)
mov r0.x, l(0)
loop
if_nz r0.y
${discard}
endif
iadd r0.x, r0.x, l(1)
ult r0.w, l(2), r0.x
breakc_nz r0.w
endloop
and r0.w, v1.x, l(15)
mov o0.xyzw, cb0[r0.w + 4].xyzw
ret
`
    const engine = createWasmEngineWith({ threads: 1 })
    const verdict = compareStage(createReferenceEngine({}), engine, programOf(text), 1)
    // Each pixel that runs on leaves a finding, helpers too.
    expect(['equal', 'not-compiled']).toContain(verdict.kind)
  })
})
