/** Everything that time lines are walked over, by name: kernels, also with faults, draws of the scenes, shaders with debug data. */
import { valueOrThrow } from '../../../src/diagnostic/index.ts'
import { createReferenceEngine } from '../../../src/engine/reference/index.ts'
import { parseDescription, prepareJob } from '../../../src/job/index.ts'
import { type DebugShader, debugShaders } from '../debug-shaders.ts'
import { drawCommands, drawOfFrame, type HostedFrame, sceneFrame, sceneNames } from '../frame-draws.ts'
import { memoryHost } from '../jobs.ts'
import { Random } from '../random/random.ts'
import { scheduleOfCase } from '../snapshots.ts'
import { cornerOfDraw } from './draw-corner.ts'
import { MOST } from './draw-steps.ts'
import { engineOfSeed, walkDraw } from './draw-walk.ts'
import { KERNEL_NAMES, type WalkOptions, walkFault, walkKernel, walkRun } from './walk.ts'

export const WALK_KINDS = ['kernel', 'fault', 'scene', 'shader'] as const

export interface WalkedProgram {
  readonly kind: (typeof WALK_KINDS)[number]
  readonly name: string
  /** Walks under the schedule of a seed; the first thing that is wrong, in words. Adds the stages of draws to `stages`. */
  readonly walk: (seed: number, options: WalkOptions, stages: Set<string>) => Promise<string | undefined>
}

/** A random corner of one of a frame's draws. */
const walkFrameDraw =
  (frame: HostedFrame, command: number): WalkedProgram['walk'] =>
  async (seed, { steps }, stages) => {
    const draw = await drawOfFrame(frame, command, engineOfSeed(seed))
    const corner = cornerOfDraw(draw, new Random(seed), MOST)
    return corner === undefined
      ? `all corners that were tried have more than ${MOST} moments`
      : walkDraw(corner, seed, steps, stages)
  }

function walkComputeShader({ job, files }: DebugShader): WalkedProgram['walk'] {
  return (seed, options) => {
    const description = valueOrThrow(parseDescription(job))
    if (description.kind !== 'job') throw new Error('the description is of a frame')
    const engine = createReferenceEngine({})
    const {
      loaded,
      bindings,
      groups,
      options: own,
    } = valueOrThrow(prepareJob(description.job, memoryHost(files), engine))
    const run = { engine, shader: loaded, bindings, groups, options: { ...own, schedule: scheduleOfCase(seed) } }
    return walkRun(run, seed, options)
  }
}

function walkGraphicsShader({ job, files }: DebugShader): WalkedProgram['walk'] {
  return (...args) => {
    const description = valueOrThrow(parseDescription(job))
    if (description.kind !== 'frame') throw new Error('the description is of a dispatch')
    const hosted = { frame: description.frame, host: memoryHost(files) }
    const [command] = drawCommands(hosted)
    return walkFrameDraw(hosted, command!)(...args)
  }
}

const OF_KIND: Readonly<Record<WalkedProgram['kind'], () => readonly Omit<WalkedProgram, 'kind'>[]>> = {
  kernel: () => KERNEL_NAMES.map((name) => ({ name, walk: (seed, options) => walkKernel(name, seed, options) })),
  fault: () => KERNEL_NAMES.map((name) => ({ name, walk: (seed, options) => walkFault(name, seed, options) })),
  scene: () =>
    sceneNames().flatMap((name) => {
      const frame = sceneFrame(name)
      return drawCommands(frame).map((n) => ({ name: `${name} command ${n}`, walk: walkFrameDraw(frame, n) }))
    }),
  shader: () =>
    debugShaders().map((s) => ({
      name: s.name,
      walk: s.stage === undefined ? walkComputeShader(s) : walkGraphicsShader(s),
    })),
}

/** Those of a kind, of all kinds where none is given. */
export const walkedPrograms = (kind?: string): readonly WalkedProgram[] =>
  WALK_KINDS.flatMap((k) => (kind === undefined || kind === k ? OF_KIND[k]().map((p) => ({ kind: k, ...p })) : []))
