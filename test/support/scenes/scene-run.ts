import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Engine } from '../../../src/engine/index.ts'
import { createHost } from '../../../src/host/node/job-host.ts'
import { parseDescriptionText, runFrameOn } from '../../../src/job/index.ts'
import { compileThresholds } from '../../../src/pipeline/compile-thresholds.ts'
import { type RandomScene, SCENE_FOLDER } from './random-scene.ts'

/** Runs random scenes, and says what they left. */

const TEXT_LENGTH = 400
/** Milliseconds that a frame may take. */
const LONGEST = 120_000

/** What a frame left: a digest of each resource, and a text of what each command counted and found. */
export type SceneLeft = ReadonlyMap<string, string>

/** Undefined where the frame was stopped: it takes too long with numbers. */
export async function runScene(engine: Engine, { name, precision, text }: RandomScene): Promise<SceneLeft | undefined> {
  const { value, diagnostics } = parseDescriptionText(text)
  if (value?.kind !== 'frame') throw new Error(diagnostics.map((d) => d.message).join('\n'))
  const pipelines = value.frame.pipelines.map((p) => (p.kind === 'graphics' ? { ...p, precision } : p))
  const host = createHost({ folder: join(SCENE_FOLDER, name) })
  const frame = { ...value.frame, pipelines }
  const { run, diagnostics: found } = await runFrameOn(frame, host, engine, { maxMilliseconds: LONGEST })
  if (run === undefined) throw new Error(found.map((d) => d.message).join('\n'))
  if (run.stopped !== undefined) return undefined
  const left = new Map([['findings', found.map((d) => `${d.code} ${d.message}`).join('; ')]])
  for (const [resource, prepared] of run.prepared.resources) {
    left.set(resource, createHash('sha256').update(prepared.resource.storage.bytes).digest('hex').slice(0, 16))
  }
  for (const [n, { draw }] of run.commands.entries()) {
    left.set(`command ${n}`, JSON.stringify([draw?.statistics, draw?.samplesPassed]))
  }
  return left
}

/** As `runScene`, without code for the fixed function: numbers find, test and blend each pixel by itself. */
export async function runWithNumbers(engine: Engine, scene: RandomScene): Promise<SceneLeft | undefined> {
  const { triangles, triangleQuads, quads } = compileThresholds
  const never = Number.POSITIVE_INFINITY
  Object.assign(compileThresholds, { triangles: never, triangleQuads: never, quads: never })
  try {
    return await runScene(engine, scene)
  } finally {
    Object.assign(compileThresholds, { triangles, triangleQuads, quads })
  }
}

/** Where two runs differ, or undefined. */
export function differenceOf(wanted: SceneLeft, got: SceneLeft): string | undefined {
  for (const [what, text] of wanted) {
    const other = got.get(what)
    if (other !== text) return `${what}: ${other?.slice(0, TEXT_LENGTH)}; wanted ${text.slice(0, TEXT_LENGTH)}`
  }
  return undefined
}
