/** The files that `run`, `check` and `bench` take, as jobs, and the system as jobs see it. */
import { dirname } from 'node:path'
import { assemblyText, isBinary, unicodeText } from '../../../src/asm/index.ts'
import { diagnostic, failure, type Outcome, outcomeOf } from '../../../src/diagnostic/index.ts'
import { isContainer } from '../../../src/dxbc/index.ts'
import { createHost } from '../../../src/host/node/index.ts'
import { findFormat } from '../../../src/isa/formats/index.ts'
import { stageOfNumber } from '../../../src/isa/index.ts'
import {
  type Description,
  type FrameFlags,
  type FrameJob,
  type JobHost,
  jobOfFlags,
  loadShader,
  NO_FILES,
  overrideFrame,
  overrideJob,
  type ParsedJob,
  parseDescriptionText,
  type QuickFlags,
} from '../../../src/job/index.ts'
import { readBytes, systemReason } from '../files.ts'
import { STANDARD } from '../inputs.ts'

/** Options as commander gives them. */
export interface RunOptions extends FrameFlags, Omit<QuickFlags, 'shader'> {
  readonly hlslCompiler?: string
  readonly maxTime?: string
  readonly allowOutside?: boolean
  readonly tune?: boolean
  readonly json?: boolean
  readonly quiet?: boolean
  /** False for --no-hints. */
  readonly hints?: boolean
  readonly junit?: string
  readonly sarif?: string
  readonly github?: boolean
  readonly jobs?: string
  readonly shard?: string
  readonly filter?: string
  readonly bail?: string | true
  readonly watch?: boolean
  readonly update?: boolean
  readonly verbose?: boolean
}

/** Options that describe a quick run, by what they are called on the command line. */
const QUICK_OPTIONS = ['dispatch', 'srv', 'uav', 'cbv', 'sampler', 'unbound', 'entry', 'profile'] as const

/** So many bytes are looked at for the brace that a description begins with. */
const MAX_BLANKS = 4096

/** Descriptions are JSON objects; no shader begins as they do. */
function isDescription(bytes: Uint8Array): boolean {
  return /^\s*\{/.test(unicodeText(bytes.subarray(0, MAX_BLANKS)))
}

/** A file of the command line as a job. */
export interface Source {
  readonly file: string
  /** The description of one dispatch; of a frame the errors that verbs which take one dispatch print. */
  readonly job: ParsedJob
  /** A description of several commands. */
  readonly frame?: Outcome<FrameJob>
  /** Where its files are. */
  readonly folder: string
  readonly isQuick: boolean
}

function quickUsed(options: RunOptions): string | undefined {
  return QUICK_OPTIONS.find((name) => {
    const value = options[name]
    return Array.isArray(value) ? value.length > 0 : value !== undefined
  })
}

function refused(file: string, code: 'job-file' | 'job-flag', message: string): Source {
  return { file, job: failure([diagnostic(code, message)]), folder: '.', isQuick: false }
}

/** The stage of a shader that only draws run; undefined of compute shaders, and where it is not known before it is compiled. */
function drawnStage({ shader, entry = 'main', profile = 'cs_5_0' }: QuickFlags, bytes: Uint8Array): string | undefined {
  const read = loadShader({ file: shader, entry, profile, path: '' }, { ...NO_FILES, readFile: () => bytes }).value
  const stage = read && stageOfNumber(read.program.stageNumber)
  return stage === 'compute' ? undefined : stage
}

function refusedStage(file: string, stage: string): Source {
  const message = `this is a ${stage} shader, which draws run: a run description with a frame is needed`
  const notes = ['heddle init writes one for the shaders of a pipeline, as in heddle init vertex.dxbc pixel.dxbc']
  return { file, job: failure([diagnostic('engine-stage', message, undefined, notes)]), folder: '.', isQuick: true }
}

/** A description, or the job that the flags describe for a shader. What cannot be read has diagnostics and no job. */
export function sourceOf(file: string, options: RunOptions): Source {
  let bytes: Uint8Array
  try {
    bytes = readBytes(file)
  } catch (e) {
    return refused(file, 'job-file', `cannot read ${file}: ${systemReason(e)}`)
  }
  if (!isDescription(bytes) && !/\.json$/i.test(file)) {
    if (!isContainer(bytes) && isBinary(assemblyText(bytes))) {
      const message = `${file} is no run description (JSON), no compiled shader (it does not begin with DXBC), and no text`
      return refused(file, 'job-file', message)
    }
    const flags: QuickFlags = { ...options, shader: file }
    const ofDraws = drawnStage(flags, bytes)
    if (ofDraws !== undefined) return refusedStage(file, ofDraws)
    return { file, job: jobOfFlags(flags, (name) => findFormat(name)?.blockByteLength), folder: '.', isQuick: true }
  }
  const used = quickUsed(options)
  if (used !== undefined) {
    const message = `--${used} is for shaders; ${file} is a run description, which says such things itself`
    return refused(file, 'job-flag', message)
  }
  const { value, diagnostics } = parseDescriptionText(unicodeText(bytes))
  const base = { file, folder: file === STANDARD ? '.' : dirname(file), isQuick: false }
  if (value?.kind !== 'frame') return { ...base, job: outcomeOf(value?.job, diagnostics) }
  const none = diagnostic('job-flag', 'this description has several commands: heddle run and heddle check take it')
  return { ...base, job: failure([none]), frame: outcomeOf(value.frame, diagnostics) }
}

/** What a file describes, with what the flags change. */
export function describedBy({ frame, job }: Source, flags: RunOptions): Outcome<Description> {
  const read = frame ?? job
  if (frame?.value !== undefined) {
    const { value, diagnostics } = overrideFrame(frame.value, flags)
    const changed: Description | undefined = value && { kind: 'frame', frame: value }
    return outcomeOf(changed, [...read.diagnostics, ...diagnostics])
  }
  if (job.value === undefined) return failure(read.diagnostics)
  const { value, diagnostics } = overrideJob(job.value, flags)
  const changed: Description | undefined = value && { kind: 'job', job: value }
  return outcomeOf(changed, [...read.diagnostics, ...diagnostics])
}

/** The system as a job sees it: files beside its description, the compiler that the user named. */
export function hostOf(source: Source, options: RunOptions): JobHost {
  const compiler = options.hlslCompiler ?? process.env.HEDDLE_HLSL_COMPILER
  // What a command line names is the user's own choice; what a description names may not be.
  const allowOutside = source.isQuick || options.allowOutside === true
  return createHost({ folder: source.folder, allowOutside, ...(compiler ? { compiler } : {}) })
}
