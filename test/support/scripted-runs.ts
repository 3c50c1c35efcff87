/** What scripts of the debugger are made for: the kernels, the scenes, and shaders of the corpus with debug data. */
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { findChunk } from '../../src/dxbc/index.ts'
import { debug } from '../../src/host/index.ts'
import { isNumbered, type Program, statementDwordCount } from '../../src/program/index.ts'
import type { Shader } from '../../src/shader/index.ts'
import { drawScript } from './debug-draw-script.ts'
import { debugScript, type OpenSession, type ScriptOptions } from './debug-script.ts'
import { debugShaders } from './debug-shaders.ts'
import { drawCommands, sceneFrame, sceneNames } from './frame-draws.ts'
import { KERNEL_NAMES } from './kernel.ts'
import { wrongDispatch, wrongDraw } from './left-by-debugger.ts'
import { readSecondPdb } from './second-pdb.ts'
import { kernelSession, sessionOf } from './sessions.ts'

export interface ScriptedRun {
  readonly name: string
  readonly open: OpenSession
  readonly isDispatch: boolean
  /** The script that is made for it. */
  readonly script: (options: ScriptOptions) => Promise<string>
  /** What the run leaves under the debugger that is not what it leaves without: bytes, statistics or findings. */
  readonly wrongEnd: () => Promise<string | undefined>
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
  wrongEnd: () => wrongDispatch(open),
})

const drawRun = (name: string, open: OpenSession, stage?: string, lineOf?: LineOf): ScriptedRun => ({
  name,
  open,
  isDispatch: false,
  script: (options) =>
    drawScript(open, { ...options, lineOf: (of, statement) => (of === stage ? lineOf?.(statement) : undefined) }),
  wrongEnd: () => wrongDraw(open),
})

/** Every shader of the corpus with debug data. */
const shaderRuns = (): ScriptedRun[] =>
  debugShaders().map(({ name, shader, stage, job, files }) => {
    const lineOf = linesBySecondReader(shader)
    const open: OpenSession = () => sessionOf(job, files)
    return stage === undefined ? dispatchRun(name, open, lineOf) : drawRun(name, open, stage, lineOf)
  })

/** The draws of a scene, each with the commands before it carried out. */
function sceneRuns(name: string): ScriptedRun[] {
  const { frame, host } = sceneFrame(name)
  const open = async (command: number) => valueOrThrow(await debug({ kind: 'frame', frame }, host, { command }))
  return drawCommands({ frame, host }).map((command) =>
    drawRun(`scene ${name} command ${command}`, () => open(command)),
  )
}

/** Everything that scripts are made for; those whose names have a word in them. */
export const scriptedRuns = (word = ''): readonly ScriptedRun[] =>
  [
    ...KERNEL_NAMES.map((name) => dispatchRun(name, () => kernelSession(name))),
    ...shaderRuns(),
    ...sceneNames().flatMap(sceneRuns),
  ].filter(({ name }) => name.includes(word))
