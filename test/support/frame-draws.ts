/** Draws of frames, each prepared as its frame runs it: with what the commands before it leave. */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import type { Engine } from '../../src/engine/index.ts'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { createHost } from '../../src/host/node/job-host.ts'
import { type FrameJob, type JobHost, parseDescriptionText, prepareFrame } from '../../src/job/index.ts'
import type { PreparedDraw } from './frames/index.ts'

export const SCENES = fileURLToPath(new URL('../draws/', import.meta.url))

/** A frame with what its files are read by. */
export interface HostedFrame {
  readonly frame: FrameJob
  readonly host: JobHost
}

export const sceneNames = (): string[] =>
  readdirSync(SCENES, { withFileTypes: true }).flatMap((e) => (e.isDirectory() ? [e.name] : []))

/** The small frame of a scene. */
export function sceneFrame(name: string): HostedFrame {
  const folder = `${SCENES}${name}`
  const description = valueOrThrow(parseDescriptionText(readFileSync(`${folder}/small.json`, 'utf8')))
  if (description.kind !== 'frame') throw new Error(`${name}/small.json is no frame`)
  return { frame: description.frame, host: createHost({ folder }) }
}

/** Numbers of the commands that draw. */
export function drawCommands({ frame, host }: HostedFrame): readonly number[] {
  const { commands } = valueOrThrow(prepareFrame({ ...frame, checks: [] }, host, createReferenceEngine({})))
  return commands.flatMap(({ work }, command) => (work?.kind === 'draw' ? [command] : []))
}

/** The draw of a command, after the commands before it. */
export async function drawOfFrame(
  { frame, host }: HostedFrame,
  command: number,
  engine: Engine,
): Promise<PreparedDraw> {
  const { commands } = valueOrThrow(prepareFrame({ ...frame, checks: [] }, host, engine))
  const work = commands[command]?.work
  if (work?.kind !== 'draw') throw new Error(`command ${command} of ${frame.name} draws nothing`)
  for (const { run } of commands.slice(0, command)) await run({})
  const { pipeline, options } = work
  return { engine, pipeline, resources: work.resources(), call: valueOrThrow(work.callOf()), options }
}
