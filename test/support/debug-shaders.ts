/** Shaders of the corpus with debug data, each with a run description that runs it. */
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { findChunk } from '../../src/dxbc/index.ts'
import { jobTemplate, loadShader } from '../../src/job/index.ts'
import { readShader, type Shader } from '../../src/shader/index.ts'
import { companionFrame } from './companions.ts'
import { corpusFiles } from './corpus.ts'
import { memoryHost } from './jobs.ts'

export interface DebugShader {
  readonly name: string
  readonly shader: Shader
  /** Of a draw: the stage that it is of, among others made for it. */
  readonly stage: string | undefined
  readonly job: unknown
  readonly files: Readonly<Record<string, Uint8Array>>
}

function computeJob(name: string, files: DebugShader['files']): unknown {
  const place = { file: 'shader.dxbc', entry: 'main', profile: 'cs_5_0', path: '$' }
  return valueOrThrow(jobTemplate(valueOrThrow(loadShader(place, memoryHost(files))), name, 'shader.dxbc'))
}

export const debugShaders = (): readonly DebugShader[] =>
  corpusFiles().flatMap(({ name, bytes }): DebugShader[] => {
    const shader = readShader(bytes).value
    if (shader === undefined || findChunk(shader.container, 'SPDB', 'SDBG') === undefined) return []
    if (!name.startsWith('cs/')) return [{ name, shader, ...companionFrame(name)! }]
    const files = { 'shader.dxbc': bytes }
    return [{ name, shader, stage: undefined, job: computeJob(name, files), files }]
  })
