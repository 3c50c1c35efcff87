import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { type Engine, withFallback } from '../../src/engine/index.ts'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { createWasmEngineWith } from '../../src/engine/wasm/index.ts'
import { EntryMemory } from '../../src/engine/wasm/run/stages/entry-memory.ts'
import { createHost } from '../../src/host/node/job-host.ts'
import { parseDescriptionText, runFrameOn } from '../../src/job/index.ts'
import { createSrv } from '../../src/machine/index.ts'
import { at, draw, type Scene, wordsBuffer } from '../support/draw-text.ts'
import { BRIEF_MS, createSharingEngine } from '../support/sharing.ts'
import { watchWhetherMade } from '../support/watch-code.ts'
import { workerModule } from '../support/worker-module.ts'

// Shaders of draws begin in baseline code, and go on in optimized code (src/engine/wasm/run/baseline.ts): both leave the same.

const FOLDER = fileURLToPath(new URL('../draws/', import.meta.url))
const SCENES = readdirSync(FOLDER, { withFileTypes: true }).flatMap((e) => (e.isDirectory() ? [e.name] : []))

const engineWith = (baselineMs: number): Engine =>
  withFallback(createWasmEngineWith({ threads: 1, baselineMs }), createReferenceEngine({}))

afterEach(() => {
  vi.restoreAllMocks()
})

/** Which code stages began in and ended in, of all that ran since `watch`. */
function watch(): () => { readonly begun: string; readonly ended: string; readonly stage: string }[] {
  const taken = vi.spyOn(EntryMemory.prototype, 'takeCurrentCode')
  const nameOf = ({ baseline }: EntryMemory['pipeline']): string => (baseline === undefined ? 'optimized' : 'baseline')
  return () =>
    [...new Set(taken.mock.contexts as EntryMemory[])].map((m) => ({
      begun: nameOf(m.entry.bound.pipeline),
      ended: nameOf(m.pipeline),
      stage: m.pipeline.lowered.declarations.stage.kind,
    }))
}

/** Hashes of all that a frame leaves, and its counts. */
async function left(scene: string, engine: Engine) {
  const folder = join(FOLDER, scene)
  const { value } = parseDescriptionText(readFileSync(join(folder, 'small.json'), 'utf8'))
  if (value?.kind !== 'frame') throw new Error('no frame')
  const report = await runFrameOn(value.frame, createHost({ folder }), engine)
  expect(report.engine).toBe('wasm')
  const { prepared, commands } = report.run!
  const hashes = [...prepared.resources].map(([name, { resource }]) => [
    name,
    createHash('sha256').update(resource.storage.bytes).digest('hex'),
  ])
  return { hashes, counts: commands.map((c) => [c.draw?.statistics, c.draw?.samplesPassed]) }
}

it.each(SCENES)(
  '%s leaves the same in baseline code, in optimized code, and where one takes the place of the other',
  async (scene) => {
    const optimized = await left(scene, engineWith(0))
    expect(await left(scene, engineWith(Number.POSITIVE_INFINITY))).toEqual(optimized)
    expect(await left(scene, engineWith(BRIEF_MS))).toEqual(optimized)
  },
  60_000,
)

const SIDE = 96
const CORNERS = [
  [0, 0],
  [SIDE, 0],
  [0, SIDE],
  [0, SIDE],
  [SIDE, 0],
  [SIDE, SIDE],
] as const

/** Loops, an indexable array, a discard and flushes of denormals; it puts out the r2.w that `more` computes. */
const shader = (more: string): string =>
  [
    'ps_5_0',
    'dcl_globalFlags refactoringAllowed',
    'dcl_resource_raw t0',
    'dcl_input_ps_siv linear noperspective v0.xy, position',
    'dcl_output o0.xyzw',
    'dcl_temps 3',
    'dcl_indexableTemp x0[4], 4',
    'ftou r0.xy, v0.xyxx',
    'iadd r0.z, r0.y, r0.x',
    'and r0.z, r0.z, l(31)',
    'ieq r0.w, r0.z, l(7)',
    'discard_nz r0.w',
    'mov r1.xyzw, l(1.0, 0.5, 1.1754944e-38, 3.0)',
    'mov x0[0].xyzw, l(0,0,0,0)',
    'mov x0[1].xyzw, v0.xyxy',
    'mov r2.x, l(0)',
    'loop',
    '  uge r2.y, r2.x, r0.z',
    '  breakc_nz r2.y',
    '  mad r1.xyzw, r1.xyzw, l(0.5, 0.75, 0.5, 0.875), r1.wzyx',
    '  and r2.z, r2.x, l(3)',
    '  mov x0[r2.z + 0].xyzw, r1.xyzw',
    '  iadd r2.x, r2.x, l(1)',
    'endloop',
    more,
    'mov r2.xyz, x0[1].xyzx',
    'mul r2.z, r2.z, l(1.0e-20)',
    'mul r2.z, r2.z, l(1.0e-20)',
    'mad o0.xyz, r1.xyzx, l(2.0, 3.0, 4.0, 0.0), r2.xyzx',
    'mov o0.w, r2.w',
    'ret',
    '',
  ].join('\n')

const SOUND = shader('utof r2.w, r0.z')
/** 16 of the 32 words that are read are there. */
const FAULTY = shader('ishl r2.w, r0.z, l(2)\nld_raw r2.w, r2.w, t0.xxxx')

function scene(ps: string, engine: Engine): Scene {
  const data = Uint32Array.from({ length: 16 }, (_, n) => n * 77)
  const t0 = valueOrThrow(createSrv(wordsBuffer(16, data, engine.memory), { raw: true }))
  const vertices = CORNERS.map(([x, y]) => at(x, y, SIDE, SIDE))
  return { vertices, width: SIDE, height: SIDE, ps, resources: { bindings: { pixel: { t0 } } } }
}

describe('a draw of several batches', () => {
  const drawn = (ps: string, engine: Engine, options: Scene['options'] = {}) => {
    const { targets, result } = draw({ ...scene(ps, engine), options }, engine)
    const { statistics, samplesPassed, diagnostics } = result
    return { words: [...targets[0]!.storage.words], statistics, samplesPassed, diagnostics }
  }
  const [sound, faulty] = [SOUND, FAULTY].map((ps) => drawn(ps, createReferenceEngine({})))
  const ofPixels = (codes: ReturnType<ReturnType<typeof watch>>) => codes.filter((c) => c.stage === 'pixel')

  it('goes on in optimized code in its middle, and later ones begin in it', () => {
    const codes = watch()
    const engine = engineWith(BRIEF_MS)
    expect(drawn(SOUND, engine)).toEqual(sound)
    expect(ofPixels(codes())).toEqual([{ begun: 'baseline', ended: 'optimized', stage: 'pixel' }])
    vi.restoreAllMocks()
    const later = watch()
    expect(drawn(SOUND, engine)).toEqual(sound)
    expect(ofPixels(later())).toEqual([{ begun: 'optimized', ended: 'optimized', stage: 'pixel' }])
  })

  it('stays in baseline code where it is short', () => {
    const codes = watch()
    const engine = engineWith(1000)
    expect(drawn(SOUND, engine)).toEqual(sound)
    expect(ofPixels(codes())).toEqual([{ begun: 'baseline', ended: 'baseline', stage: 'pixel' }])
  })

  it('has optimized code from the beginning where it may be found wrong, or its instructions are limited', () => {
    const codes = watch()
    const engine = engineWith(Number.POSITIVE_INFINITY)
    expect(faulty!.diagnostics.length).toBeGreaterThan(0)
    expect(drawn(FAULTY, engine)).toEqual(faulty)
    expect(drawn(SOUND, engine, { maxInstructionsPerThread: 1_000_000 })).toEqual(sound)
    const optimized = { begun: 'optimized', ended: 'optimized', stage: 'pixel' }
    expect(ofPixels(codes())).toEqual([optimized, optimized])
  })

  it('gives other threads optimized code, which is made between its steps', async () => {
    const areMade = watchWhetherMade()
    const engine = createSharingEngine({
      threads: 2,
      baselineMs: Number.POSITIVE_INFINITY,
      workerModule: await workerModule(),
    })
    const codes = watch()
    expect(drawn(SOUND, engine)).toEqual(sound)
    engine.dispose?.()
    expect(ofPixels(codes())).toEqual([{ begun: 'baseline', ended: 'optimized', stage: 'pixel' }])
    expect(areMade).toContain(true)
    expect(areMade).not.toContain(false)
  })
})
