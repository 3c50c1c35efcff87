import {
  createDrawTimeLine,
  createTimeLine,
  type DrawSource,
  type RunOptions,
  type TimeLineOptions,
} from '../debug/index.ts'
import {
  appendAll,
  type Diagnostic,
  diagnostic,
  failure,
  hasErrors,
  type Outcome,
  outcomeOf,
  ShaderError,
} from '../diagnostic/index.ts'
import type { Engine } from '../engine/index.ts'
import type { ValueOps } from '../isa/index.ts'
import {
  type Description,
  type DispatchWork,
  type DrawWork,
  type FrameJob,
  type Job,
  type JobHost,
  type PreparedFrame,
  prepareFrameInTasks,
  prepareJob,
  subjectOf,
} from '../job/index.ts'
import type { ShaderPlace } from './beside.ts'
import { debuggedProgram } from './programs.ts'
import type { DebuggedProgram, FrameStep, Subject } from './run.ts'
import { type CommandOpener, DebugSession } from './session.ts'

/** What a session takes beside the description. */
export interface SessionOptions extends TimeLineOptions, RunOptions {
  /** What expressions compute with: those of the engine. */
  readonly operations: ValueOps<number>
  /** Of a frame: the command to debug, from 0; the default is its first draw or dispatch. */
  readonly command?: number | undefined
  /** Of a draw: only this pixel is rasterized. For draws of which not everything can be kept. */
  readonly pixel?: { readonly x: number; readonly y: number } | undefined
  /** Bytes of a PDB, for shaders without debug data of their own; in place of one beside the shader. */
  readonly database?: Uint8Array | undefined
}

/** What a dispatch is made of, in descriptions of one and in frames. */
type DispatchParts = Pick<DispatchWork, 'loaded' | 'container' | 'bindings' | 'groups' | 'options'>

async function dispatchSubject(
  name: string,
  { loaded, container, bindings, groups, options: own }: DispatchParts,
  engine: Engine,
  options: SessionOptions,
  place: ShaderPlace,
): Promise<Outcome<Subject>> {
  const program = await debuggedProgram(container, loaded, options.operations, place)
  if (program.value === undefined) return failure(program.diagnostics)
  const made = createTimeLine({ engine, loaded, bindings, groups: groups(), options: own }, options)
  const found = [...program.diagnostics, ...made.diagnostics]
  if (made.value === undefined || hasErrors(found)) return failure(found)
  return outcomeOf({ name, programs: [program.value], timeLine: made.value }, found)
}

const STAGES = ['vertex', 'hull', 'domain', 'geometry', 'pixel'] as const
type GraphicsStage = (typeof STAGES)[number]

async function drawSubject(
  name: string,
  work: DrawWork,
  engine: Engine,
  options: SessionOptions,
  placeOf: (stage: GraphicsStage) => ShaderPlace,
): Promise<Outcome<Subject>> {
  const found: Diagnostic[] = []
  const programs: DebuggedProgram[] = []
  const { pipeline, containers } = work
  for (const stage of STAGES) {
    const [shader, container] = [pipeline[stage], containers[stage]]
    if (shader === undefined || container === undefined) continue
    const own = await debuggedProgram(container, shader.loaded, options.operations, placeOf(stage), stage)
    appendAll(found, own.diagnostics)
    if (own.value === undefined) return failure(found)
    programs.push(own.value)
  }
  const call = work.callOf()
  if (call.value === undefined) return failure([...found, ...call.diagnostics])
  const source: DrawSource = { engine, pipeline, resources: work.resources(), call: call.value, options: work.options }
  try {
    const { pixel, signal, onProgress } = options
    const line = await createDrawTimeLine(source, { pixel, signal, onProgress })
    if (line === undefined) return failure([...found, CANCELED])
    return outcomeOf({ name, programs, timeLine: line, draw: { line, source } }, found)
  } catch (e) {
    if (!(e instanceof ShaderError)) throw e
    return failure([...found, ...e.diagnostics])
  }
}

const CANCELED = diagnostic('session-frame', 'opening the command was canceled')

function stepsOf({ commands }: PreparedFrame): readonly FrameStep[] {
  return commands.map(({ command, work }) => ({
    kind: command.kind,
    of: subjectOf(command),
    isOpen: work !== undefined,
  }))
}

/** Opens commands of a frame: each from its own copy of the resources, after the commands before it. */
class FrameOpener {
  readonly #frame: FrameJob
  readonly #host: JobHost
  readonly #engine: Engine
  readonly #options: SessionOptions

  constructor(frame: FrameJob, host: JobHost, engine: Engine, options: SessionOptions) {
    this.#frame = { ...frame, checks: [] }
    this.#host = host
    this.#engine = engine
    this.#options = options
  }

  readonly open: CommandOpener = async (wanted, running = this.#options) => {
    const { signal } = running
    const prepared = await prepareFrameInTasks(this.#frame, this.#host, this.#engine, { signal })
    if (prepared === undefined) return failure([CANCELED])
    const { value, diagnostics } = prepared
    if (value === undefined) return failure(diagnostics)
    const { commands } = value
    const at = wanted ?? commands.findIndex((c) => c.work !== undefined)
    const work = commands[at]?.work
    if (work === undefined) return failure([...diagnostics, noWork(value, at)])
    const found: Diagnostic[] = [...diagnostics]
    for (const { run } of commands.slice(0, at)) {
      appendAll(found, (await run({ signal })).diagnostics)
      if (signal?.aborted === true) return failure([...found, CANCELED])
    }
    const name = `${this.#frame.name} command ${at}`
    const made =
      work.kind === 'dispatch'
        ? await dispatchSubject(name, work, this.#engine, this.#options, this.#placeOf(value, at, 'compute'))
        : await drawSubject(name, work, this.#engine, { ...this.#options, ...running }, (stage) =>
            this.#placeOf(value, at, stage),
          )
    appendAll(found, made.diagnostics)
    if (made.value === undefined) return failure(found)
    const resources = new Map([...value.resources].map(([own, { resource }]) => [own, resource]))
    return outcomeOf({ subject: made.value, frame: { steps: stepsOf(value), current: at, resources } }, found)
  }

  /** Where the shader of a stage of a command comes from. */
  #placeOf({ commands }: PreparedFrame, at: number, stage: GraphicsStage | 'compute'): ShaderPlace {
    const { pipelines, shaders } = this.#frame
    const pipeline = pipelines.find((p) => p.name === subjectOf(commands[at]!.command))
    const name =
      pipeline?.kind === 'graphics' ? (stage === 'compute' ? undefined : pipeline.shaders[stage]) : pipeline?.shader
    const file = shaders.find((s) => s.name === name?.name)?.source.file
    return { host: this.#host, file, database: this.#options.database }
  }
}

/** Why a command cannot be debugged. */
function noWork({ commands }: PreparedFrame, at: number): Diagnostic {
  const text =
    at < 0
      ? 'the frame has no draw and no dispatch'
      : commands[at] === undefined
        ? `there is no command ${at} of ${commands.length}`
        : `command ${at} is a ${commands[at].command.kind}; draws and dispatches can be debugged`
  const open = commands.flatMap(({ command, work }, n) =>
    work === undefined ? [] : `${n} (${command.kind} ${subjectOf(command)})`,
  )
  const notes = open.length === 0 ? [] : [`those that can be debugged are ${open.slice(0, 20).join(', ')}`]
  return diagnostic('session-frame', text, { kind: 'path', path: '$.commands' }, notes)
}

async function openJob(
  job: Job,
  host: JobHost,
  engine: Engine,
  options: SessionOptions,
): Promise<Outcome<DebugSession>> {
  // Nothing is compared here, and expected contents need not be there.
  const { value, diagnostics } = prepareJob({ ...job, checks: [] }, host, engine)
  if (value === undefined) return failure(diagnostics)
  const { loaded, bindings, groups, shader, options: own } = value
  const parts = { loaded, bindings, container: shader.container, groups: () => groups, options: own }
  const place: ShaderPlace = { host, file: job.shader.file, database: options.database }
  const made = await dispatchSubject(job.name, parts, engine, options, place)
  const found = [...diagnostics, ...made.diagnostics]
  return made.value === undefined ? failure(found) : outcomeOf(new DebugSession(made.value), found)
}

/** A session over what a run description says, at its start. The engine must be one that steps. */
export async function openSession(
  description: Description,
  host: JobHost,
  engine: Engine,
  options: SessionOptions,
): Promise<Outcome<DebugSession>> {
  if (description.kind === 'job') return openJob(description.job, host, engine, options)
  const { open } = new FrameOpener(description.frame, host, engine, options)
  const { value, diagnostics } = await open(options.command)
  if (value === undefined) return failure(diagnostics)
  return outcomeOf(new DebugSession(value.subject, { ...value.frame, open }), diagnostics)
}
