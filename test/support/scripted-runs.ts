/** What scripts of the debugger are made for: the kernels, and compute shaders of the corpus with debug data. */
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { findChunk } from '../../src/dxbc/index.ts'
import { jobTemplate, loadShader } from '../../src/job/index.ts'
import { isNumbered, type Program, statementDwordCount } from '../../src/program/index.ts'
import { readShader, type Shader } from '../../src/shader/index.ts'
import { corpusFile } from './corpus.ts'
import type { OpenSession } from './debug-script.ts'
import { memoryHost } from './jobs.ts'
import { KERNEL_NAMES } from './kernel.ts'
import { readSecondPdb } from './second-pdb.ts'
import { kernelSession, sessionOf } from './sessions.ts'

export interface ScriptedRun {
  readonly name: string
  readonly open: OpenSession
  readonly lineOf?: ((statement: number) => number | undefined) | undefined
}

const COMPUTE_WITH_DEBUG_DATA = ['cs/real_light_cull.zi', 'cs/real_light_cull.v9'] as const

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
function linesBySecondReader({ container, program }: Shader): ScriptedRun['lineOf'] {
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

function corpusRun(name: string): ScriptedRun {
  const { bytes } = corpusFile(name)
  const files = { 'shader.dxbc': bytes }
  const place = { file: 'shader.dxbc', entry: 'main', profile: 'cs_5_0', path: '$' }
  const loaded = valueOrThrow(loadShader(place, memoryHost(files)))
  const job = valueOrThrow(jobTemplate(loaded, name, 'shader.dxbc'))
  return { name, open: () => sessionOf(job, files), lineOf: linesBySecondReader(valueOrThrow(readShader(bytes))) }
}

export const scriptedRuns = (): readonly ScriptedRun[] => [
  ...KERNEL_NAMES.map((name) => ({ name, open: () => kernelSession(name) })),
  ...COMPUTE_WITH_DEBUG_DATA.map(corpusRun),
]
