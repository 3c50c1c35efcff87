import { describe, expect, it } from 'vitest'
import { parseProgram } from '../../src/asm/index.ts'
import { isClean, renderReport, reportsToSarif } from '../../src/check/index.ts'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { checkDraw } from '../../src/host/check.ts'
import { Device } from '../../src/host/device.ts'
import { createTexture, createUav, rtv } from '../../src/machine/index.ts'
import { checkScene, foundInDraw } from '../support/check-scene.ts'
import { rawUav } from '../support/check-text.ts'
import { at } from '../support/draw-text.ts'

// Draws under the checker: each finding with a faulty program and a correct one. Targets are 4 x 4 pixels.

const SIZE = 4
/** Covers every pixel, twice over where it is drawn twice. */
const TRIANGLE = [at(0, 0, SIZE, SIZE), at(8, 0, SIZE, SIZE), at(0, 8, SIZE, SIZE)]
const UNORDERED = { depth: 'D32_FLOAT' }

const ps = (body: string, declarations = ''): string =>
  `ps_5_0\ndcl_globalFlags refactoringAllowed\n${declarations}dcl_input_ps_siv linear noperspective v0.xyzw, position\ndcl_output o0.xyzw\ndcl_temps 2\n${body}\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)\nret\n`
const RAW = 'dcl_uav_raw u1\n'
/** r0.x: byte of the dword of the pixel. */
const ADDRESS = 'ftou r0.xy, v0.xyxx\nimad r0.x, r0.y, l(4), r0.x\nishl r0.x, r0.x, l(2)\n'

describe('places of findings', () => {
  it('name the invocation in text, JSON and SARIF', async () => {
    const shader = ps(`${ADDRESS}store_raw u1.x, r0.x, r1.x`, RAW)
    const report = await checkScene({ vertices: TRIANGLE, ps: shader, uavs: { u1: rawUav(64) } })
    expect(foundInDraw(report)).toEqual(['pixel: check-uninitialized-temp'])
    expect(report.findings[0]!.site).toMatchObject({ stage: 'pixel', invocation: 'pixel (0, 0) of primitive 0' })
    expect(report.findings[0]!.count).toBe(16)
    const text = renderReport(report)
    expect(text).toContain('pixel shader, pixel (0, 0) of primitive 0: reads r1.x')
    expect(text).toContain('3 vertex invocations, 16 pixel invocations')
    expect(text).not.toContain('thread (')
    const sarif = JSON.stringify(reportsToSarif([{ file: 'a.json', report }], '1'))
    expect(sarif).toContain('pixel shader, pixel (0, 0) of primitive 0')
  })

  it('name vertices with their instance', async () => {
    const vs =
      'vs_5_0\ndcl_input v0.xyzw\ndcl_output_siv o0.xyzw, position\ndcl_temps 1\nmov o0.xyz, v0.xyzx\nmov o0.w, r0.x\nret\n'
    const call = { vertexCount: 3, instanceCount: 2, startVertex: 0 }
    const report = await checkScene({ vertices: TRIANGLE, vs, call })
    const finding = report.findings.find((f) => f.code === 'check-uninitialized-temp')!
    expect(finding.message).toContain('the value is written to o0')
    expect(finding.site.invocation).toBe('vertex 0 of instance 0')
    expect(finding.count).toBe(6)
  })

  it('of accesses out of bounds', async () => {
    const shader = ps(`${ADDRESS}store_raw u1.x, r0.x, l(1)`, RAW)
    const report = await checkScene({ vertices: TRIANGLE, ps: shader, uavs: { u1: rawUav(60) } })
    expect(foundInDraw(report)).toEqual(['pixel: check-bounds-raw'])
    expect(report.findings[0]!.site.invocation).toBe('pixel (3, 3) of primitive 0')
    expect(report.findings[0]!.count).toBe(1)
  })
})

describe('loads out of bounds', () => {
  it('whose zeros go straight to an output matter; those that nothing uses are a hint', async () => {
    const shader = (to: string): string =>
      ps(`${ADDRESS}ld_raw ${to}, r0.x, u1.xxxx`, RAW).replace(
        'dcl_output o0.xyzw\n',
        'dcl_output o0.xyzw\ndcl_output o1.x\nmov o1.x, l(0)\n',
      )
    const check = (to: string, byteLength: number) =>
      checkScene({ vertices: TRIANGLE, ps: shader(to), uavs: { u1: rawUav(byteLength) } })
    expect((await check('o1.x', 64)).findings).toEqual([])
    const report = await check('o1.x', 60)
    expect(foundInDraw(report)).toEqual(['pixel: check-bounds-raw'])
    expect(report.findings[0]!.message).toContain('the result is written to o1')
    expect((await check('r1.x', 60)).findings.map((f) => f.severity)).toEqual(['hint'])
  })

  it('of constants too', async () => {
    // 16 pixels, each with a constant of its own, of which there are `count`.
    const shader = (to: string, count: number): string =>
      ps(`${ADDRESS}ushr r0.x, r0.x, l(2)\nmov ${to}, icb[r0.x + 0].x`, RAW)
        .replace('dcl_output o0.xyzw\n', 'dcl_output o0.xyzw\ndcl_output o1.x\nmov o1.x, l(0)\n')
        .replace(
          'dcl_uav',
          `dcl_immediateConstantBuffer { ${new Array(count).fill('{ 1, 0, 0, 0}').join(', ')} }\ndcl_uav`,
        )
    const check = (to: string, count: number) =>
      checkScene({ vertices: TRIANGLE, ps: shader(to, count), uavs: { u1: rawUav(64) } })
    expect((await check('o1.x', 16)).findings).toEqual([])
    const report = await check('o1.x', 15)
    expect(foundInDraw(report)).toEqual(['pixel: check-bounds-immediate-constants'])
    const [f] = report.findings
    expect([f!.count, f!.site.invocation]).toEqual([1, 'pixel (3, 3) of primitive 0'])
    expect(f!.message).toContain('the result is written to o1')
    expect((await check('r1.x', 15)).findings.map((x) => x.severity)).toEqual(['hint'])
  })
})

describe('races between pixels', () => {
  const found = async (body: string, declarations = RAW, vertices: number[][] = TRIANGLE) =>
    checkScene({ vertices, ps: ps(body, declarations), uavs: { u1: rawUav(64) } })
  const twice = [...TRIANGLE, ...TRIANGLE]

  it('a place for each pixel is fine, one place for all is not', async () => {
    expect(foundInDraw(await found(`${ADDRESS}store_raw u1.x, r0.x, v0.x`))).toEqual([])
    const report = await found('store_raw u1.x, l(0), v0.x')
    expect(foundInDraw(report)).toEqual(['pixel: check-race-invocations'])
    const [finding] = report.findings
    expect(finding!.other!.invocation).not.toBe(finding!.site.invocation)
    expect(finding!.site.invocation).toMatch(/^pixel \(\d, \d\) of primitive 0$/)
  })

  it('atomics do not race with each other, but with plain stores', async () => {
    expect(foundInDraw(await found('atomic_iadd u1, l(0), l(1)'))).toEqual([])
    // Of stores with atomics, and of stores with each other.
    expect(foundInDraw(await found('atomic_iadd u1, l(0), l(1)\nstore_raw u1.x, l(0), v0.x'))).toEqual([
      'pixel: check-race-invocations',
      'pixel: check-race-invocations',
    ])
  })

  it('loads alone are fine; the same value from all is a hint', async () => {
    expect((await found('ld_raw r0.x, l(0), u1.xxxx')).findings).toEqual([])
    const report = await found('store_raw u1.x, l(0), l(5)')
    expect(report.findings.map((f) => [f.code, f.severity])).toEqual([['check-race-same-value', 'hint']])
  })

  it('two primitives at one pixel race without a rasterizer ordered view, and are ordered with one', async () => {
    const add = `${ADDRESS}ld_raw r1.x, r0.x, u1.xxxx\niadd r1.x, r1.x, l(1)\nstore_raw u1.x, r0.x, r1.x`
    expect(foundInDraw(await found(add))).toEqual([])
    const report = await found(add, RAW, twice)
    // Of loads with stores, and of stores with each other.
    expect(foundInDraw(report)).toEqual(['pixel: check-race-invocations', 'pixel: check-race-invocations'])
    expect(report.findings[0]!.notes[0]).toContain('rasterizer ordered view')
    expect(foundInDraw(await found(add, 'dcl_uav_raw_rov u1\n', twice))).toEqual([])
    const everywhere = 'store_raw u1.x, l(0), v0.x'
    expect(foundInDraw(await found(everywhere, 'dcl_uav_raw_rov u1\n'))).toEqual(['pixel: check-race-invocations'])
  })

  it('pixels that are discarded before they store have no part', async () => {
    const first = 'add r1.x, v0.x, v0.y\nlt r1.x, l(1.25), r1.x\ndiscard_nz r1.x\nstore_raw u1.x, l(0), v0.x'
    expect(foundInDraw(await found(first))).toEqual([])
  })
})

describe('outputs', () => {
  const vs = (body: string): string =>
    `vs_5_0\ndcl_input v0.xyzw\ndcl_output_siv o0.xyzw, position\ndcl_output o1.xy\ndcl_temps 1\nmov o0.xyzw, v0.xyzw\n${body}ret\n`
  const reads = (mask: string): string =>
    `ps_5_0\ndcl_input_ps linear v1.${mask}\ndcl_output o0.xyzw\nmov o0.xyzw, v1.${mask.padEnd(4, mask[0])}\nret\n`

  it('that are not written, on some path', async () => {
    const whole = vs('mov o1.xy, v0.xyxx\n')
    expect(foundInDraw(await checkScene({ vertices: TRIANGLE, vs: whole, ps: reads('xy') }))).toEqual([])
    const part = vs('mov o1.x, v0.x\nlt r0.x, v0.x, l(0)\nif_nz r0.x\nmov o1.y, v0.x\nendif\n')
    const report = await checkScene({ vertices: TRIANGLE, vs: part, ps: reads('x') })
    expect(foundInDraw(report)).toEqual(['vertex: check-output-unwritten'])
    expect(report.findings[0]!.site.invocation).toBe('vertex 1 of instance 0')
    expect(report.findings[0]!.message).toContain('o1.y')
  })

  it('that the next stage reads', async () => {
    const report = await checkScene({ vertices: TRIANGLE, vs: vs('mov o1.x, v0.x\n'), ps: reads('xy') })
    expect(foundInDraw(report)).toEqual(['vertex: check-input-unwritten'])
    expect(report.findings[0]!.message).toBe('o1.y is declared and not written, and the pixel shader reads it')
  })

  it('of pixels that are discarded do not count', async () => {
    const shader = (after: string): string =>
      `ps_5_0\ndcl_output o0.xyzw\ndiscard_nz l(${after})\nif_z l(${after})\nmov o0.xyz, l(1.0,1.0,1.0,1.0)\nendif\nret\n`
    expect(foundInDraw(await checkScene({ vertices: TRIANGLE, ps: shader('1') }))).toEqual([])
    expect(foundInDraw(await checkScene({ vertices: TRIANGLE, ps: shader('0') }))).toEqual([
      'pixel: check-output-unwritten',
    ])
  })

  it('have to be written anew after each emit', async () => {
    const gs = (again: string): string =>
      `gs_5_0\ndcl_inputprimitive triangle\ndcl_input_siv v[3][0].xyzw, position\ndcl_stream m0\ndcl_outputtopology pointlist\ndcl_output_siv o0.xyzw, position\ndcl_maxout 2\nmov o0.xyzw, v[0][0].xyzw\nemit_stream m0\n${again}emit_stream m0\nret\n`
    expect(foundInDraw(await checkScene({ vertices: TRIANGLE, gs: gs('mov o0.xyzw, v[1][0].xyzw\n') }))).toEqual([])
    const report = await checkScene({ vertices: TRIANGLE, gs: gs('') })
    expect(foundInDraw(report)).toEqual(['geometry: check-output-unwritten'])
    expect(report.findings[0]!.site.invocation).toBe('primitive 0')
  })
})

describe('positions and depths', () => {
  it('a position with a NaN', async () => {
    const vs = (divisor: string): string =>
      `vs_5_0\ndcl_input v0.xyzw\ndcl_output_siv o0.xyzw, position\nmov o0.yzw, v0.xyzw\ndiv o0.x, v0.x, l(${divisor})\nret\n`
    const zero = [at(2, 2, SIZE, SIZE), at(3, 2, SIZE, SIZE), at(2, 3, SIZE, SIZE)]
    expect(foundInDraw(await checkScene({ vertices: zero, vs: vs('1.0') }))).toEqual([])
    const report = await checkScene({ vertices: zero, vs: vs('0') })
    expect(foundInDraw(report)).toEqual(['vertex: check-nan-position'])
    expect(report.findings[0]!.site.invocation).toBe('vertex 0 of instance 0')
    expect(report.findings[0]!.count).toBe(2)
  })

  it('a conservative depth on the wrong side', async () => {
    const shader = (kind: string, depth: string): string =>
      `ps_5_0\ndcl_output o0.xyzw\ndcl_output ${kind}\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)\nmov ${kind}, l(${depth})\nret\n`
    const half = TRIANGLE.map(([x, y]) => [x!, y!, 0.5, 1])
    const found = async (kind: string, depth: string) =>
      foundInDraw(await checkScene({ vertices: half, ps: shader(kind, depth), ...UNORDERED }))
    expect(await found('oDepthGE', '0.5')).toEqual([])
    expect(await found('oDepthGE', '0.75')).toEqual([])
    expect(await found('oDepthGE', '0.25')).toEqual(['pixel: check-depth-promise'])
    expect(await found('oDepthLE', '0.25')).toEqual([])
    expect(await found('oDepthLE', '0.75')).toEqual(['pixel: check-depth-promise'])
  })
})

describe('tessellation and geometry', () => {
  const hull = (point: string, factor: string): string =>
    `hs_5_0\nhs_decls\ndcl_input_control_point_count 1\ndcl_output_control_point_count 1\ndcl_tessellator_domain domain_isoline\ndcl_tessellator_partitioning partitioning_integer\ndcl_tessellator_output_primitive output_point\nhs_control_point_phase\ndcl_input v[1][0].xyzw\ndcl_output o0.xyzw\ndcl_temps 1\nmov o0.${point}, v[0][0].${point}\nret\nhs_fork_phase\ndcl_output_siv o0.x, finalLineDensityTessFactor\ndcl_output_siv o1.x, finalLineDetailTessFactor\ndcl_output o2.xy\nmov o0.x, l(1.0)\nmov o1.x, l(1.0)\nmov o2.${factor}, l(1.0,1.0,1.0,1.0)\nret\n`
  const domain = (body: string): string =>
    `ds_5_0\ndcl_input_control_point_count 1\ndcl_tessellator_domain domain_isoline\ndcl_input vicp[1][0].xyz\ndcl_input vpc[2].xy\ndcl_output_siv o0.xyzw, position\ndcl_temps 1\nmov o0.xy, vicp[0][0].xyxx\nmov o0.z, vpc[2].x\n${body}\nret\n`
  const scene = (hs: string, ds: string) => ({
    vertices: [at(2, 2, SIZE, SIZE), at(1, 1, SIZE, SIZE)],
    hs,
    ds,
    state: { topology: '1_CONTROL_POINT_PATCHLIST' } as const,
  })
  const whole = domain('mov o0.w, l(1.0)')

  it('control points and patch constants that are not written, read and not read', async () => {
    expect(foundInDraw(await checkScene(scene(hull('xyzw', 'xy'), whole)))).toEqual([])
    expect(foundInDraw(await checkScene(scene(hull('xyz', 'xy'), whole)))).toEqual(['hull: check-output-unwritten'])
    expect(foundInDraw(await checkScene(scene(hull('xyw', 'xy'), whole)))).toEqual(['hull: check-input-unwritten'])
    const report = await checkScene(scene(hull('xyzw', 'x'), whole))
    expect(foundInDraw(report)).toEqual(['hull: check-input-unwritten'])
    expect(report.findings[0]!.message).toBe('o2.y is declared and not written, and the domain shader reads it')
    expect(report.findings[0]!.site.invocation).toContain('of patch 0')
    expect(report.findings[0]!.count).toBe(2)
  })

  it('undefined values at points of a patch', async () => {
    const report = await checkScene(scene(hull('xyzw', 'xy'), domain('mov o0.w, r0.x')))
    expect(foundInDraw(report)).toEqual(['domain: check-uninitialized-temp'])
    expect(report.findings[0]!.site.invocation).toMatch(/^domain point \d+ of patch 0$/)
  })

  it('more vertices than are declared', async () => {
    const gs = (count: number): string =>
      `gs_5_0\ndcl_inputprimitive triangle\ndcl_input_siv v[3][0].xyzw, position\ndcl_stream m0\ndcl_outputtopology pointlist\ndcl_output_siv o0.xyzw, position\ndcl_maxout ${count}\nmov o0.xyzw, v[0][0].xyzw\nemit_stream m0\nmov o0.xyzw, v[1][0].xyzw\nemit_stream m0\nret\n`
    expect(foundInDraw(await checkScene({ vertices: TRIANGLE, gs: gs(2) }))).toEqual([])
    const report = await checkScene({ vertices: [...TRIANGLE, ...TRIANGLE], gs: gs(1) })
    expect(foundInDraw(report)).toEqual(['geometry: check-max-vertex-count'])
    expect([report.findings[0]!.site.invocation, report.findings[0]!.count]).toEqual(['primitive 0', 2])
  })

  it('stream output without room', async () => {
    const streamOutput = {
      declaration: [
        { stream: 0, semanticName: 'SV', semanticIndex: 1, startComponent: 0, componentCount: 4, outputSlot: 0 },
      ],
    }
    const points = { vertices: TRIANGLE, state: { topology: 'POINTLIST', streamOutput } } as const
    expect(foundInDraw(await checkScene({ ...points, streamBytes: 48 }))).toEqual([])
    const report = await checkScene({ ...points, streamBytes: 47 })
    expect(foundInDraw(report)).toEqual(['vertex: check-stream-overflow'])
    expect(report.findings[0]!.message).toBe(
      'stream 0 has 3 primitives for stream output; its buffers have room for 2: primitive 2, counted from 0, is the first that is left out',
    )
  })
})

describe('pixels', () => {
  it('derivatives of computed values in divergent flow', async () => {
    const shader = (before: string, inside: string): string =>
      ps(`add r0.x, v0.x, l(1.0)\nlt r0.y, v0.x, l(1.0)\n${before}if_nz r0.y\n${inside}endif`)
    const derivative = 'deriv_rtx r0.z, r0.x\n'
    expect(foundInDraw(await checkScene({ vertices: TRIANGLE, ps: shader(derivative, '') }))).toEqual([])
    const report = await checkScene({ vertices: TRIANGLE, ps: shader('', derivative) })
    expect(foundInDraw(report)).toEqual(['pixel: check-derivative'])
    expect(report.findings[0]!.site.invocation).toMatch(/^pixel \([02], \d\) of primitive 0$/)
  })

  it('numbers and NaN, on request: inputs are read as they are', async () => {
    const shader = ps('add r0.x, v0.x, l(-0.5)\ndiv r0.x, l(1.0), r0.x')
    const detectors = ['numbers'] as const
    const report = await checkScene({ vertices: TRIANGLE, ps: shader }, { detectors })
    // Of the four columns the first has x - 0.5 = 0.
    expect(report.findings.map((f) => [f.stage, f.site.invocation, f.count])).toEqual([
      ['pixel', 'pixel (0, 0) of primitive 0', 4],
    ])
  })

  it('samples are named, and race by sample', async () => {
    const shader = (uav: string): string =>
      `ps_5_0\ndcl_globalFlags refactoringAllowed\n${uav}dcl_input_ps_siv linear noperspective v0.xy, position\ndcl_input_ps_sgv constant v1.x, sampleIndex\ndcl_output o0.xyzw\ndcl_temps 1\n${ADDRESS}store_raw u1.x, r0.x, v1.x\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)\nret\n`
    const scene = (uav: string) =>
      ({ vertices: TRIANGLE, sampleCount: 4, ps: shader(uav), uavs: { u1: rawUav(64) } }) as const
    for (const uav of [RAW, 'dcl_uav_raw_rov u1\n']) {
      const report = await checkScene(scene(uav))
      expect(foundInDraw(report)).toEqual(['pixel: check-race-invocations'])
      expect(report.findings[0]!.site.invocation).toBe('pixel (0, 0) sample 1 of primitive 0')
      expect(report.findings[0]!.other!.invocation).toBe('pixel (0, 0) sample 0 of primitive 0')
    }
  })
})

describe('checkDraw', () => {
  const scene = (body: string) => {
    const device = new Device()
    const shader = (text: string) => device.createShader(valueOrThrow(parseProgram(text)))
    const vertex = shader(
      `vs_5_0\ndcl_uav_raw u1\ndcl_input_sgv v0.x, vertexID\ndcl_output_siv o0.xyzw, position\ndcl_temps 1\n${body}\nmov o0.xyzw, l(0,0,0,1.0)\nret\n`,
    )
    const pipeline = device.createPipeline({ vertex, topology: 'POINTLIST' })
    const texture = valueOrThrow(
      createTexture({ dimension: 'texture2d', format: 'R8G8B8A8_UNORM', width: 4, height: 4 }),
    )
    const resources = {
      unorderedAccess: { u1: createUav(device.createBuffer({ byteLength: 16 }), { raw: true }) },
      renderTargets: [rtv(texture)],
    }
    return { device, pipeline, resources }
  }

  it('takes pipelines of any device, and runs them on the reference engine', async () => {
    const { device, pipeline, resources } = scene('store_raw u1.x, l(0), v0.x')
    const report = await checkDraw(device, pipeline, resources, { vertexCount: 4 })
    expect(foundInDraw(report)).toEqual(['vertex: check-race-invocations'])
    expect(report.findings[0]!.site).toMatchObject({
      invocation: 'vertex 1 of instance 0',
      listing: 'store_raw u1.x, l(0), v0.x',
    })
    const fine = scene('ishl r0.x, v0.x, l(2)\nstore_raw u1.x, r0.x, v0.x')
    expect(isClean(await checkDraw(fine.device, fine.pipeline, fine.resources, { vertexCount: 4 }))).toBe(true)
    device.dispose()
    fine.device.dispose()
  })

  it('says what was refused, and what a budget cut short', async () => {
    const { device, pipeline, resources } = scene('store_raw u1.x, l(0), v0.x')
    const many = await checkDraw(device, pipeline, resources, { vertexCount: 2 ** 30 })
    expect([many.partial, many.diagnostics[0]!.code]).toEqual(['refused', 'pipeline-budget'])
    const late = await checkDraw(device, pipeline, resources, { vertexCount: 20000 }, { maxMilliseconds: -1 })
    expect(late.partial).toBe('time')
    const small = await checkDraw(device, pipeline, resources, { vertexCount: 20000 }, { maxShadowByteLength: 1 })
    expect(small.partial).toBe('memory')
    const endless = scene('loop\nmov r0.x, v0.x\nendloop')
    const options = { maxInstructionsPerThread: 100 }
    const stopped = await checkDraw(endless.device, endless.pipeline, endless.resources, { vertexCount: 1 }, options)
    expect(stopped.partial).toBe('instructions')
    device.dispose()
    endless.device.dispose()
  })
})
