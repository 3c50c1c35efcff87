/** What scripts of the debugger are made for: the kernels, the scenes, and shaders of the corpus with debug data. */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { findChunk } from '../../src/dxbc/index.ts'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { debug } from '../../src/host/index.ts'
import { createHost } from '../../src/host/node/job-host.ts'
import { type FrameJob, jobTemplate, loadShader, parseDescriptionText, prepareFrame } from '../../src/job/index.ts'
import { isNumbered, type Program, statementDwordCount } from '../../src/program/index.ts'
import { readShader, type Shader } from '../../src/shader/index.ts'
import { companionFrame } from './companions.ts'
import { corpusFiles } from './corpus.ts'
import { drawScript } from './debug-draw-script.ts'
import { debugScript, type OpenSession, type ScriptOptions } from './debug-script.ts'
import { memoryHost } from './jobs.ts'
import { KERNEL_NAMES } from './kernel.ts'
import { readSecondPdb } from './second-pdb.ts'
import { kernelSession, sessionOf } from './sessions.ts'

export interface ScriptedRun {
  readonly name: string
  readonly open: OpenSession
  readonly isDispatch: boolean
  /** The script that is made for it. */
  readonly script: (options: ScriptOptions) => Promise<string>
}

type LineOf = (statement: number) => number | undefined

/** Where the code of each statement begins, in bytes behind the version token and the length. */
function byteOffsets(program: Program): readonly (number | undefined)[] {
  let at = 8
  return program.statements.map((s) => {
    const own = at
    at += statementDwordCount(s) * 4
    return isNumbered(s) ? own : undefined
  })
}

/** Lines of statements that belong to no inlined function, by the second reader. */
function linesBySecondReader({ container, program }: Shader): LineOf | undefined {
  const chunk = findChunk(container, 'SPDB')
  if (chunk === undefined) return undefined
  const pdb = readSecondPdb(chunk.data)
  const offsets = byteOffsets(program)
  return (statement) => {
    const at = offsets[statement]
    if (at === undefined) return undefined
    const isInlined = pdb.scopes.slice(1).some((s) => s.rows.some(([from, to]) => at >= from && at < to))
    return isInlined ? undefined : pdb.lines.get(at)?.[1]
  }
}

/** A dispatch, with lines that something other than the debugger knows. */
const dispatchRun = (name: string, open: OpenSession, lineOf?: LineOf): ScriptedRun => ({
  name,
  open,
  isDispatch: true,
  script: (options) => debugScript(open, { ...options, lineOf }),
})

const drawRun = (name: string, open: OpenSession, stage?: string, lineOf?: LineOf): ScriptedRun => ({
  name,
  open,
  isDispatch: false,
  script: (options) =>
    drawScript(open, { ...options, lineOf: (of, statement) => (of === stage ? lineOf?.(statement) : undefined) }),
})

function computeRun(name: string, bytes: Uint8Array, lineOf: LineOf | undefined): ScriptedRun {
  const files = { 'shader.dxbc': bytes }
  const place = { file: 'shader.dxbc', entry: 'main', profile: 'cs_5_0', path: '$' }
  const loaded = valueOrThrow(loadShader(place, memoryHost(files)))
  const job = valueOrThrow(jobTemplate(loaded, name, 'shader.dxbc'))
  return dispatchRun(name, () => sessionOf(job, files), lineOf)
}

/** Every shader of the corpus with debug data. */
function debugShaders(): ScriptedRun[] {
  return corpusFiles().flatMap(({ name, bytes }): ScriptedRun[] => {
    const shader = readShader(bytes).value
    if (shader === undefined || findChunk(shader.container, 'SPDB', 'SDBG') === undefined) return []
    const lineOf = linesBySecondReader(shader)
    if (name.startsWith('cs/')) return [computeRun(name, bytes, lineOf)]
    const { stage, job, files } = companionFrame(name)!
    return [drawRun(name, () => sessionOf(job, files), stage, lineOf)]
  })
}

const SCENES = fileURLToPath(new URL('../draws/', import.meta.url))

/** The draws of a scene, each with the commands before it carried out. */
function sceneRuns(name: string): ScriptedRun[] {
  const folder = `${SCENES}${name}`
  const description = valueOrThrow(parseDescriptionText(readFileSync(`${folder}/small.json`, 'utf8')))
  const frame = valueOrThrow(
    prepareFrame((description as { frame: FrameJob }).frame, createHost({ folder }), createReferenceEngine({})),
  )
  return frame.commands.flatMap(({ work }, command) => {
    if (work?.kind !== 'draw') return []
    const open: OpenSession = async () => valueOrThrow(await debug(description, createHost({ folder }), { command }))
    return [drawRun(`scene ${name} command ${command}`, open)]
  })
}

const sceneNames = (): string[] =>
  readdirSync(SCENES, { withFileTypes: true }).flatMap((e) => (e.isDirectory() ? [e.name] : []))

/** Everything that scripts are made for; those whose names have a word in them. */
export const scriptedRuns = (word = ''): readonly ScriptedRun[] =>
  [
    ...KERNEL_NAMES.map((name) => dispatchRun(name, () => kernelSession(name))),
    ...debugShaders(),
    ...sceneNames().flatMap(sceneRuns),
  ].filter(({ name }) => name.includes(word))
