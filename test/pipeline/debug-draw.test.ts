import { describe, expect, it } from 'vitest'
import { createDrawTimeLine, type DrawSource, pixelHistory, type StopCondition } from '../../src/debug/index.ts'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { at, bits, drawAtOnce, float, passVertices, prepare, type Scene } from '../support/draw-text.ts'

/** A triangle over all of a target of 4 x 4, at a depth, with a color in o1. */
const cover = (z: number, color: readonly number[]): number[][] =>
  [[-8, -8] as const, [24, -8] as const, [-8, 24] as const].map(([x, y]) => [...at(x, y, 4, 4, z), ...color])

/** The color as it is; of red 4 and more nothing. */
const SHOW = `ps_5_0
dcl_input_ps linear v1.xyzw
dcl_output o0.xyzw
dcl_temps 1
ge r0.x, v1.x, l(4.0)
discard_nz r0.x
mov o0.xyzw, v1.xyzw
ret
`
const SHOW_ALL = 'ps_5_0\ndcl_input_ps linear v1.xyzw\ndcl_output o0.xyzw\nmov o0.xyzw, v1.xyzw\nret\n'

const VERTICES = [
  ...cover(0.5, [1, 0, 0, 1]),
  ...cover(0.75, [2, 0, 0, 1]),
  ...cover(0.25, [4, 0, 0, 1]),
  ...cover(0.25, [3, 0, 0, 1]),
  // Beside the pixel (1, 1).
  ...[[2, 0] as const, [4, 0] as const, [4, 4] as const].map(([x, y]) => [...at(x, y, 4, 4, 0.1), 9, 9, 9, 1]),
]

const BLENDED: NonNullable<Scene['state']> = {
  blend: {
    renderTarget: [
      {
        blendEnable: true,
        srcBlend: 'ONE',
        destBlend: 'ONE',
        blendOp: 'ADD',
        srcBlendAlpha: 'ONE',
        destBlendAlpha: 'ZERO',
      },
    ],
  },
}

function sourceOf(ps: string, other: Partial<Scene> = {}): DrawSource {
  const scene: Scene = { vs: passVertices(2), ps, vertices: VERTICES, depth: 'D32_FLOAT', state: BLENDED, ...other }
  const { pipeline, resources, call } = prepare(scene)
  return { engine: createReferenceEngine({}), pipeline: valueOrThrow(pipeline), resources, call }
}

const targetWords = ({ resources }: DrawSource): readonly number[] => [...resources.renderTargets[0]!.storage.words]
const firstWord = (bytes: Uint8Array | undefined): number => new Int32Array(bytes!.slice(0, 4).buffer)[0]!

describe('the history of a pixel', () => {
  it.each([
    ['before', SHOW_ALL],
    ['behind', SHOW],
  ])('tells what each primitive did, with tests %s the shader', async (_, ps) => {
    const source = sourceOf(ps)
    const history = await pixelHistory(source, { x: 1, y: 1 })
    const isLate = ps === SHOW
    const rows = history!.fragments.map((f) => [
      f.primitiveId,
      f.isDiscarded,
      f.passed,
      f.effect && [float(firstWord(f.effect.before.colors[0])), float(firstWord(f.effect.after.colors[0]))],
    ])
    // LESS lets 0.5 pass and then 0.25, of which the first that is not discarded; 0.75 does not pass.
    expect(rows).toEqual([
      [0, false, true, [0, 1]],
      [1, false, false, undefined],
      isLate ? [2, true, undefined, undefined] : [2, false, true, [1, 5]],
      isLate ? [3, false, true, [1, 4]] : [3, false, false, undefined],
    ])
    expect(float(firstWord(history!.before.colors[0]))).toBe(0)
    expect(float(firstWord(history!.after.colors[0]))).toBe(isLate ? 4 : 5)
    expect(float(firstWord(history!.after.depthStencil))).toBe(0.25)
    expect(history!.fragments[3]!.outputs[0]).toEqual([3, 0, 0, 1].map(bits))
    // The question leaves the targets as it found them, and the draw gives what the history says.
    expect(targetWords(source).every((w) => w === 0)).toBe(true)
    drawAtOnce(source.engine, source.pipeline, source.resources, source.call)
    // Word 0 of the texel (1, 1) of rows of 4 texels.
    expect(float(targetWords(source)[(1 * 4 + 1) * 4]!)).toBe(isLate ? 4 : 5)
  })

  // Stencil is 0 at first and must be 0; a failed depth test counts it up, a failed stencil test sets it back.
  const COUNTED = {
    stencilFunc: 'EQUAL',
    stencilFailOp: 'ZERO',
    stencilDepthFailOp: 'INCR_SAT',
    stencilPassOp: 'KEEP',
  } as const
  const FORCED = SHOW.replace('ps_5_0\n', 'ps_5_0\ndcl_globalFlags forceEarlyDepthStencil\n')
  it.each([
    ['before the shader', SHOW_ALL, ['passed', 'depth', 'stencil', 'passed']],
    // The third is discarded and tested no more: stencil is 1 for the fourth.
    ['behind the shader', SHOW, ['passed', 'depth', 'discarded', 'stencil']],
    // Asked for before the shader: it fails stencil, and the shader never runs.
    ['before a shader that discards', FORCED, ['passed', 'depth', 'stencil', 'passed']],
  ])('tells which test was failed, with tests %s', async (_, ps, expected) => {
    const depthStencil = { stencilEnable: true, frontFace: COUNTED, backFace: COUNTED }
    const source = sourceOf(ps, { depth: 'D24_UNORM_S8_UINT', state: { ...BLENDED, depthStencil } })
    const history = await pixelHistory(source, { x: 1, y: 1 })
    const verdicts = history!.fragments.map(
      (f) => f.failed ?? (f.isDiscarded ? 'discarded' : f.passed === true ? 'passed' : '?'),
    )
    expect(verdicts).toEqual(expected)
  })

  it('leads into the invocation that made a fragment', async () => {
    const history = await pixelHistory(sourceOf(SHOW), { x: 1, y: 1 })
    const { line, thread } = history!.fragments[2]!.open()
    const { statements } = line.source.loaded.declarations.program
    const seen: number[] = []
    do seen.push(line.next!.statement)
    while ((await line.step('forward', { unit: 'lane', thread })).reason === 'reached')
    // ge and discard: behind them the pixel has no more statements of its own, or runs on for its neighbors.
    expect(seen.length).toBeGreaterThan(1)
    expect(statements[seen[0]!]!.kind).toBe('instruction')
    await line.goTo(1)
    const { wave, lane } = line.laneOf(thread)!
    // The comparison held: r0.x of the lane has all bits.
    expect(wave.register({ file: 0, indices: [0], component: 0 }, lane)).toBe(-1)
  })
})

describe('a time line of a draw', () => {
  it('has one clock over the batches of its stages, forward and backward', async () => {
    const source = sourceOf(SHOW)
    const line = (await createDrawTimeLine(source))!
    expect(line.batches.map((b) => b.stage)).toEqual(['vertex', 'pixel'])
    expect(line.batches[0]).toMatchObject({ first: 0, invocations: 15 })
    expect(line.batches[1]!.first).toBe(line.batches[0]!.statements)
    const look = (): string =>
      `${line.clock} ${line.batch.stage} ${JSON.stringify(line.line.next)} ${line.line.groups[0]?.waves[0]?.active.low}`
    const seen = [look()]
    while (line.clock < line.end) {
      await line.step('forward', { unit: 'any' })
      seen.push(look())
    }
    expect(seen.length).toBe(line.end + 1)
    for (let clock = line.end; clock >= 0; clock--) {
      await line.goTo(clock)
      expect(look()).toBe(seen[clock])
    }
    line.dispose()
  })

  it('stops at the same moments in both directions, over the ends of batches', async () => {
    const line = (await createDrawTimeLine(sourceOf(SHOW)))!
    const everyWrite: StopCondition = { kind: 'statement', where: { threads: [0, 13] } }
    const stops = async (direction: 'forward' | 'backward'): Promise<number[]> => {
      const found: number[] = []
      for (;;) {
        const stop = await line.run(direction, [everyWrite])
        if (stop.reason !== 'condition') return found
        found.push(stop.clock)
      }
    }
    const forward = await stops('forward')
    expect(forward.some((c) => c > line.batches[1]!.first)).toBe(true)
    // Clock 0 is the first of the moments backward; it is where the run forward began.
    expect(await stops('backward')).toEqual([...forward].reverse().concat(0))
  })

  it('enters an invocation of a batch', async () => {
    const line = (await createDrawTimeLine(sourceOf(SHOW)))!
    const batch = line.batches[1]!
    await line.enter(batch, 5)
    expect(line.batch).toBe(batch)
    expect(line.line.laneOf({ group: [0, 0, 0], thread: 5 })).toBeDefined()
    expect(batch.describe(5)).toContain('pixel')
  })
})

/** r1.y has no value: what is stored in the green of every pixel. */
const UNDEFINED =
  'ps_5_0\ndcl_input_ps linear v1.xyzw\ndcl_output o0.xyzw\ndcl_temps 2\nmov r1.xzw, v1.xyzw\nmov o0.xyzw, r1.xyzw\nret\n'

const OUTPUT = 2
const INPUT = 1

describe('conditions, findings and changes of a draw', () => {
  it('counts hits through all batches', async () => {
    const clocksOf = async (hits?: StopCondition['hits']): Promise<number[]> => {
      const line = (await createDrawTimeLine(sourceOf(SHOW)))!
      const condition: StopCondition = { kind: 'statement', where: { threads: [0] }, ...(hits && { hits }) }
      const clocks = (await line.holding([condition])).map(() => 0)
      for (;;) {
        const stop = await line.run('forward', [condition])
        if (stop.reason !== 'condition') return clocks
        expect(stop.hits[0]!.condition).toBe(condition)
        clocks.push(stop.clock)
      }
    }
    const all = await clocksOf()
    expect(all[0]).toBe(0)
    expect(await clocksOf({ kind: 'every', count: 3 })).toEqual(all.filter((_, i) => (i + 1) % 3 === 0))
    expect(await clocksOf({ kind: 'equal', count: 5 })).toEqual(all.slice(4, 5))
  })

  it('stops in one stage alone where a condition names it', async () => {
    const line = (await createDrawTimeLine(sourceOf(SHOW)))!
    const stop = await line.run('forward', [{ kind: 'statement', stage: 'pixel' }])
    expect([stop.reason, line.batch.stage, stop.clock]).toEqual(['condition', 'pixel', line.batches[1]!.first])
    expect((await line.run('backward', [{ kind: 'statement', stage: 'vertex' }])).clock).toBe(stop.clock - 1)
  })

  it('has findings as moments, and stops at them in both directions', async () => {
    const line = (await createDrawTimeLine(sourceOf(UNDEFINED)))!
    const findings = await line.findings()
    expect(findings.map((f) => [f.code, f.stage])).toEqual([['check-uninitialized-temp', 'pixel']])
    const [finding] = findings
    // The second of three statements of the first pixels.
    expect(finding).toMatchObject({ before: line.batches[1]!.first + 1, invocation: expect.stringMatching(/^pixel/) })
    const condition: StopCondition = { kind: 'finding' }
    const forward = await line.run('forward', [condition, { kind: 'statement', stage: 'hull' }])
    expect([forward.clock, forward.hits[0]?.finding]).toEqual([finding!.before + 1, finding])
    expect((await line.run('forward', [condition])).reason).toBe('end')
    expect((await line.run('backward', [condition])).clock).toBe(finding!.before + 1)
    expect((await line.run('backward', [condition])).reason).toBe('start')
  })

  it('runs the later stages with what was changed in an earlier one', async () => {
    const line = (await createDrawTimeLine(sourceOf(SHOW)))!
    const red = async (): Promise<number> => {
      const pixel = line.batches.findLast((b) => b.stage === 'pixel')!
      const lane = Array.from({ length: pixel.invocations }, (_, i) => i).find(
        (i) => pixel.placeOf(i)?.primitiveId === 0 && !pixel.isHelper(i),
      )!
      await line.enter(pixel, lane)
      const { wave, lane: own } = line.laneOf({ group: [0, 0, 0], thread: lane })!
      return float(wave.register({ file: INPUT, indices: [1], component: 0 }, own)!)
    }
    expect(await red()).toBe(1)
    // Before ret, all that the vertices of the first triangle leave is there.
    await line.goTo(line.batches[0]!.statements - 1)
    for (const thread of [0, 1, 2]) {
      const place = { file: OUTPUT, indices: [1], component: 0 }
      await line.change({ kind: 'register', thread: { group: [0, 0, 0], thread }, place, bits: bits(7) })
    }
    expect(line.changes.map((c) => c.clock)).toEqual([2, 2, 2])
    // Of 4 and more the shader discards: the batches behind a change are other ones.
    expect(await red()).toBe(7)
    for (const change of [...line.changes]) await line.dropChange(change)
    expect(await red()).toBe(1)
  })

  it('tells what the last statement of the batch before did', async () => {
    const line = (await createDrawTimeLine(sourceOf(SHOW)))!
    await line.goTo(line.batches[1]!.first)
    expect(await line.effects()).toMatchObject({ before: line.batches[1]!.first - 1 })
    expect(line.batch.stage).toBe('pixel')
  })
})
