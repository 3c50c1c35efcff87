import { describe, expect, it } from 'vitest'
import { checkMatchers } from '../../src/check/vitest.ts'
import type { KeptBatch } from '../../src/debug/draw/batches.ts'
import { PipelineFindings } from '../../src/debug/draw/pipeline-findings.ts'
import type { RecordedFinding } from '../../src/debug/index.ts'
import { type Diagnostic, diagnostic } from '../../src/diagnostic/index.ts'
import type { LoadedShader } from '../../src/engine/index.ts'
import { checkDescription, isClean, type Report, renderReport, reportsToSarif } from '../../src/host/check.ts'
import { sessionOf } from '../support/sessions.ts'

// Frames under the checker: each finding with a faulty frame and a right one. Targets are 4 x 4 pixels.

/** A triangle over the whole target, from SV_VertexID alone. */
const vs = (body = '', declarations = ''): string =>
  `vs_5_0
dcl_immediateConstantBuffer { { -1.0, 1.0, 0, 0}, { 3.0, 1.0, 0, 0}, { -1.0, -3.0, 0, 0} }
dcl_input_sgv v0.x, vertexID
dcl_output_siv o0.xyzw, position
${declarations}dcl_temps 1
mov r0.x, v0.x
mov o0.xy, icb[r0.x + 0].xyxx
mov o0.zw, l(0,0,0.5,1.0)
${body}ret`
const WHITE = 'mov o0.xyzw, l(1.0,1.0,1.0,1.0)\n'
const ps = (body = WHITE, declarations = ''): string =>
  `ps_5_0
dcl_globalFlags refactoringAllowed
${declarations}dcl_input_ps_siv linear noperspective v0.xy, position
dcl_output o0.xyzw
dcl_temps 2
${body}ret`
const LOG = 'dcl_uav_raw u1\n'
/** r0.x: byte of the dword of the pixel. */
const ADDRESS = 'ftou r0.xy, v0.xyxx\nimad r0.x, r0.y, l(4), r0.x\nishl r0.x, r0.x, l(2)\n'

interface Shaders {
  readonly vertex?: string
  readonly geometry?: string
  readonly pixel?: string
}

type Change = Readonly<Record<string, unknown>>

/** A frame with one pipeline that is drawn `draws` times. */
function frame({ vertex = vs(), geometry, pixel = ps() }: Shaders, change: Change = {}, draws = 1) {
  return {
    version: 2,
    name: 'checked',
    resources: {
      picture: { kind: 'texture2d', format: 'R8G8B8A8_UNORM', width: 4, height: 4 },
      depth: { kind: 'texture2d', format: 'D32_FLOAT', width: 4, height: 4 },
      log: { kind: 'buffer', size: 64 },
      stream: { kind: 'buffer', size: 48 },
    },
    shaders: {
      place: { assembly: vertex },
      paint: { assembly: pixel },
      ...(geometry === undefined ? {} : { emit: { assembly: geometry } }),
    },
    pipelines: {
      whole: {
        vertex: 'place',
        pixel: 'paint',
        ...(geometry === undefined ? {} : { geometry: 'emit' }),
        topology: 'TRIANGLELIST',
        rasterizer: { cullMode: 'NONE' },
        depthStencil: { depthEnable: false },
        bind: { renderTargets: ['picture'], unorderedAccess: { u1: { resource: 'log', raw: true } } },
        ...change,
      },
    },
    commands: [
      { clear: 'picture', color: [0, 0, 0, 1] },
      ...Array.from({ length: draws }, () => ({ draw: 'whole', vertexCount: 3 })),
    ],
  }
}

function codes(report: Report): string[] {
  expect(report.diagnostics.filter((d) => d.severity === 'error')).toEqual([])
  return report.findings.filter((f) => f.severity !== 'hint').map((f) => `${f.stage}: ${f.code}`)
}

const emits = (count: number): string =>
  `gs_5_0
dcl_inputprimitive triangle
dcl_input_siv v[3][0].xyzw, position
dcl_stream m0
dcl_outputtopology pointlist
dcl_output_siv o0.xyzw, position
dcl_maxout ${count}
mov o0.xyzw, v[0][0].xyzw
emit_stream m0
mov o0.xyzw, v[1][0].xyzw
emit_stream m0
ret`

const readsOutput = ps('mov o0.xyzw, v1.xyxy\n', 'dcl_input_ps linear v1.xy\n')
const ATTRIBUTE = 'dcl_output o1.xy\n'
const depth = (value: string): Shaders => ({
  pixel: ps(`${WHITE}mov oDepthGE, l(${value})\n`).replace('dcl_temps', 'dcl_output oDepthGE\ndcl_temps'),
})
const TESTED = { depthStencil: { depthEnable: true, depthFunc: 'ALWAYS' } }
/** Stream output finds its elements by name. */
const NAMED = `// Output signature:
//
// Name                 Index   Mask Register SysValue  Format   Used
// -------------------- ----- ------ -------- -------- ------- ------
// SV_Position              0   xyzw        0      POS   float   xyzw
//
${vs()}`
const streams = (size: number): Change => ({
  streamOutput: {
    declaration: [{ stream: 0, semanticName: 'SV_Position', semanticIndex: 0, outputSlot: 0, componentCount: 4 }],
  },
  bind: { renderTargets: ['picture'], streamOutput: [{ buffer: 'stream', offset: 48 - size }] },
})

/** A code, the stage that it is about, a frame with it and the same one put right. */
const PAIRS: readonly [string, faulty: readonly [Shaders, Change?], right: readonly [Shaders, Change?]][] = [
  [
    'pixel: check-race-invocations',
    [{ pixel: ps(`store_raw u1.x, l(0), v0.x\n${WHITE}`, LOG) }],
    [{ pixel: ps(`${ADDRESS}store_raw u1.x, r0.x, v0.x\n${WHITE}`, LOG) }],
  ],
  [
    'vertex: check-input-unwritten',
    [{ vertex: vs('mov o1.x, l(1.0)\n', ATTRIBUTE), pixel: readsOutput }],
    [{ vertex: vs('mov o1.xy, l(1.0,1.0,0,0)\n', ATTRIBUTE), pixel: readsOutput }],
  ],
  ['pixel: check-output-unwritten', [{ pixel: ps('mov o0.xyz, l(1.0,1.0,1.0,0)\n') }], [{ pixel: ps() }]],
  [
    'pixel: check-derivative',
    [{ pixel: ps(`add r0.x, v0.x, l(1.0)\nlt r0.y, v0.x, l(1.0)\nif_nz r0.y\nderiv_rtx r0.z, r0.x\nendif\n${WHITE}`) }],
    [{ pixel: ps(`add r0.x, v0.x, l(1.0)\nlt r0.y, v0.x, l(1.0)\nderiv_rtx r0.z, r0.x\nif_nz r0.y\nendif\n${WHITE}`) }],
  ],
  ['pixel: check-depth-promise', [depth('0.25'), TESTED], [depth('0.75'), TESTED]],
  [
    'vertex: check-nan-position',
    [{ vertex: vs('div o0.z, l(0), l(0)\n') }],
    [{ vertex: vs('div o0.z, l(0), l(1.0)\n') }],
  ],
  ['geometry: check-max-vertex-count', [{ geometry: emits(1) }], [{ geometry: emits(2) }]],
  [
    'vertex: check-stream-overflow',
    [{ vertex: NAMED }, { ...streams(32), topology: 'POINTLIST' }],
    [{ vertex: NAMED }, { ...streams(48), topology: 'POINTLIST' }],
  ],
  [
    'pixel: check-uninitialized-temp',
    [{ pixel: ps('mov o0.xyzw, r1.xyzw\n') }],
    [{ pixel: ps('mov r1.xyzw, v0.xyxy\nmov o0.xyzw, r1.xyzw\n') }],
  ],
  [
    'pixel: check-bounds-raw',
    [{ pixel: ps(`${ADDRESS}iadd r0.x, r0.x, l(4)\nstore_raw u1.x, r0.x, v0.x\n${WHITE}`, LOG) }],
    [{ pixel: ps(`${ADDRESS}store_raw u1.x, r0.x, v0.x\n${WHITE}`, LOG) }],
  ],
]

describe('each finding', () => {
  for (const [code, faulty, right] of PAIRS) {
    it(code, async () => {
      const found = await checkDescription(frame(...faulty))
      expect(codes(found)).toEqual([code])
      expect(found.findings[0]!.command).toEqual({ kind: 'draw', index: 0, pipeline: 'whole', path: '$.commands[1]' })
      const fine = await checkDescription(frame(...right))
      expect(codes(fine)).toEqual([])
      expect(isClean(fine)).toBe(true)
    })
  }
})

/** What the pipeline says, about no statement. */
const OF_PIPELINE: readonly [string, Shaders, Change?][] = [
  ['pixel: pipeline-linkage-missing', { pixel: readsOutput }],
  ['pixel: pipeline-undefined', {}, { blend: { renderTarget: [{ blendEnable: true, srcBlend: 'SRC1_COLOR' }] } }],
]

describe('each finding is a stop of the debugger', () => {
  const faulty = PAIRS.map(([code, [shaders, change]]) => [code, frame(shaders, change)] as const)
  it.each([...faulty, ...OF_PIPELINE.map(([code, shaders, change]) => [code, frame(shaders, change)] as const)])(
    '%s',
    async (code, description) => {
      const { timeLine } = await sessionOf(description)
      const found = (await timeLine.findings()).filter((f) => f.severity !== 'hint')
      expect(found.map((f) => `${f.stage}: ${f.code}`)).toEqual([code])
      const [{ before, statement }] = found as [RecordedFinding]
      const condition = { kind: 'finding', codes: [code.replace(/^.*: /, '')] } as const
      const forward = await timeLine.run('forward', [condition])
      expect([forward.reason, forward.clock]).toEqual(['condition', before + 1])
      expect((await timeLine.run('forward', [condition])).reason).toBe('end')
      // What stands at the end of the draw is where the last run came to.
      const isLast = before + 1 === timeLine.end
      const backward = await timeLine.run('backward', [condition])
      expect(backward).toMatchObject(isLast ? { reason: 'start' } : { reason: 'condition', clock: before + 1 })
      if (!isLast) expect(backward.hits[0]?.finding).toBe(found[0])
      const isOfPipeline = code.includes('pipeline')
      expect(statement < 0).toBe(isOfPipeline)
      if (isOfPipeline) expect(await timeLine.otherMoment(found[0]!)).toBeUndefined()
      timeLine.dispose()
    },
  )

  it('what happens between two batches, made by nothing that is known, is found at the end of the first', () => {
    const batch = (stage: string, first: number) => ({ stage, first, statements: 10 }) as unknown as KeptBatch
    const batches = [batch('vertex', 0), batch('hull', 10), batch('hull', 20), batch('domain', 30)]
    const stages = ['vertex', 'hull', 'domain'].map((stage) => ({
      stage,
      loaded: { declarations: { entries: [] } } as unknown as LoadedShader,
    }))
    const draw = { diagnostics: [] as Diagnostic[], streamOutput: [], firstLeftOut: [] }
    const pipeline = { diagnostics: [], streamOutput: undefined }
    const watched = new PipelineFindings(pipeline, stages.slice(0, 1), { batch: 0, clock: 0 })
    watched.begun(draw)
    for (const at of [0, 1, 2, 3]) {
      watched.look(at)
      if (at === 1) draw.diagnostics.push(diagnostic('pipeline-undefined', 'a factor', { kind: 'path', path: 'hull' }))
    }
    expect(watched.found(batches).map((f) => [f.code, f.before, f.stage])).toEqual([['pipeline-undefined', 29, 'hull']])
  })
})

const RACE = ps(`store_raw u1.x, l(0), v0.x\n${WHITE}`, LOG)

describe('several commands', () => {
  it('fold what they share, and count it', async () => {
    const one = await checkDescription(frame({ pixel: RACE }))
    const three = await checkDescription(frame({ pixel: RACE }, {}, 3))
    expect(codes(three)).toEqual(['pixel: check-race-invocations'])
    expect(three.findings[0]!.count).toBe(3 * one.findings[0]!.count)
    expect(three.findings[0]!.alsoIn?.map((c) => c.path)).toEqual(['$.commands[2]', '$.commands[3]'])
    const text = renderReport(three)
    expect(text).toContain('in draw 0 of pipeline whole ($.commands[1]), also in draws 1 and 2')
    expect(text).toMatch(/second: pixel shader, pixel \(\d, \d\) of primitive 0 in draw 0 writes/)
    expect(text).toContain('checked: 1 error (3 draws, 9 vertex invocations, 48 pixel invocations)')
    const sarif = JSON.stringify(reportsToSarif([{ file: 'a.json', report: three }], '1'))
    expect(sarif).toContain('In draw 0 of pipeline whole ($.commands[1])')
    expect(sarif).toContain('{"name":"$.commands[1]","kind":"object"}')
  })

  it('draws do not race with each other, as Direct3D orders them', async () => {
    const own = ps(`${ADDRESS}store_raw u1.x, r0.x, v0.x\n${WHITE}`, LOG)
    expect(codes(await checkDescription(frame({ pixel: own }, {}, 2)))).toEqual([])
  })

  const step = (address: string): string =>
    `cs_5_0\ndcl_uav_raw u0\ndcl_input vThreadID.x\ndcl_temps 1\ndcl_thread_group 4, 1, 1\nishl r0.x, vThreadID.x, l(2)\nstore_raw u0.x, ${address}, vThreadID.x\nret`

  /** A dispatch before the draw. */
  const withDispatch = (address: string) => {
    const base = frame({})
    return {
      ...base,
      shaders: { ...base.shaders, step: { assembly: step(address) } },
      pipelines: {
        ...base.pipelines,
        step: { compute: 'step', bind: { compute: { u0: { resource: 'log', raw: true } } } },
      },
      commands: [{ dispatch: 'step', groups: [2, 1, 1] }, ...base.commands],
    }
  }

  it('dispatches are checked as they are alone', async () => {
    const report = await checkDescription(withDispatch('l(0)'))
    expect(report.findings.map((f) => f.code)).toContain('check-race')
    expect(report.findings[0]!.command).toEqual({
      ...{ kind: 'dispatch', index: 0, pipeline: 'step', path: '$.commands[0]' },
    })
    expect(renderReport(report)).toContain('of group (0, 0, 0) in dispatch 0')
    const fine = await checkDescription(withDispatch('r0.x'))
    expect(isClean(fine)).toBe(true)
    expect(fine.stats.commands).toEqual({ draws: 1, dispatches: 1 })
    expect(fine.stats.invocations).toEqual({ compute: 8, vertex: 3, pixel: 16 })
  })

  it('schedules leave what the first run left', async () => {
    const report = await checkDescription(withDispatch('r0.x'), undefined, { detectors: ['schedules'] })
    expect(isClean(report)).toBe(true)
  })
})

describe('reports of frames', () => {
  it('are taken by the matcher', async () => {
    const { toBeClean } = checkMatchers
    expect(toBeClean(await checkDescription(frame({}))).pass).toBe(true)
    const { pass, message } = toBeClean(await checkDescription(frame({ pixel: RACE })))
    expect([pass, message()]).toEqual([false, expect.stringContaining('in draw 0 of pipeline whole')])
  })

  it('have warnings of pipelines once: as findings of their draws, else as diagnostics', async () => {
    const missing = frame({ pixel: readsOutput })
    const drawn = await checkDescription(missing)
    expect(drawn.findings.map((f) => f.code)).toEqual(['pipeline-linkage-missing'])
    expect(drawn.diagnostics).toEqual([])
    const idle = await checkDescription({ ...missing, commands: [] })
    expect(idle.findings).toEqual([])
    expect(idle.diagnostics.map((d) => d.code)).toEqual(['pipeline-linkage-missing'])
  })
})

describe('limits and suppressions', () => {
  it('suppressions name the frame, or one of its pipelines', async () => {
    const code = 'check-race-invocations'
    const check = (suppression: object) =>
      checkDescription(frame({ pixel: RACE }), undefined, { suppressions: [{ code, ...suppression }] })
    for (const report of [undefined, 'checked', 'checked/whole']) {
      const found = await check(report === undefined ? {} : { report })
      expect(codes(found)).toEqual([])
      expect(found.stats.suppressed).toBe(1)
    }
    for (const report of ['other', 'checked/other', 'whole']) expect(codes(await check({ report }))).toHaveLength(1)
    expect(codes(await check({ instruction: 0 }))).toEqual([])
    expect(codes(await check({ instruction: 1 }))).toHaveLength(1)
  })

  it('a command that is stopped ends the frame, with its place', async () => {
    const endless = frame({ vertex: vs('loop\nmov r0.x, v0.x\nendloop\n') }, {}, 3)
    const report = await checkDescription(endless, undefined, { maxInstructionsPerThread: 100 })
    expect(report.partial).toBe('instructions')
    const [last] = report.diagnostics.slice(-1)
    expect(last!.place).toEqual({ kind: 'path', path: '$.commands[1]' })
    expect(last!.message).toContain('2 commands were not carried out')
    expect(report.stats.commands).toEqual({ draws: 1, dispatches: 0 })
    const stores = frame({ vertex: vs('store_raw u1.x, l(0), v0.x\n', LOG) }, { topology: 'POINTLIST' })
    const many = { ...stores, commands: [{ draw: 'whole', vertexCount: 5000 }] }
    const small = await checkDescription(many, undefined, { maxShadowByteLength: 1 })
    expect(small.partial).toBe('memory')
    const late = await checkDescription(endless, undefined, { maxMilliseconds: 1 })
    expect(late.partial).toBe('time')
  })

  it('findings beyond the limit are counted', async () => {
    const two = frame({ pixel: ps(`store_raw u1.x, l(0), v0.x\nstore_raw u1.x, l(4), v0.x\n${WHITE}`, LOG) })
    expect(codes(await checkDescription(two))).toHaveLength(2)
    const limited = await checkDescription(two, undefined, { maxFindings: 1 })
    expect(limited.findings).toHaveLength(1)
    expect(limited.partial).toBe('findings')
    expect(limited.stats.droppedFindings).toBe(1)
  })

  it('a frame that cannot run is refused with its place', async () => {
    const report = await checkDescription(frame({}, { topology: 'NONSENSE' }))
    expect(report.partial).toBe('refused')
    expect(report.diagnostics[0]!.place).toEqual({ kind: 'path', path: '$.pipelines.whole.topology' })
  })
})
