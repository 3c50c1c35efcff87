import { statementLister } from '../asm/index.ts'
import { createTimeLine, type RecordingSource, type TimeLineOptions } from '../debug/index.ts'
import {
  appendAll,
  type Diagnostic,
  diagnostic,
  failure,
  hasErrors,
  type Outcome,
  outcomeOf,
} from '../diagnostic/index.ts'
import { type DxbcContainer, type Reflection, reflect } from '../dxbc/index.ts'
import type { Engine } from '../engine/index.ts'
import type { ValueOps } from '../isa/index.ts'
import { type Description, type FrameJob, type Job, type JobHost, prepareFrame, prepareJob } from '../job/index.ts'
import { printSlot } from '../machine/index.ts'
import { shaderIn } from '../shader/index.ts'
import { listingMap, registerVariables, sourceOf } from '../source/index.ts'
import { DebugSession } from './session.ts'

/** What a session takes beside the description. */
export interface SessionOptions extends TimeLineOptions {
  /** What expressions compute with: those of the engine. */
  readonly operations: ValueOps<number>
  /** Of a frame: the command to debug, from 0; the default is its first dispatch. */
  readonly command?: number | undefined
  /** Bytes of a PDB beside the shader. */
  readonly database?: Uint8Array | undefined
}

interface Prepared {
  readonly name: string
  readonly container: DxbcContainer
  readonly source: RecordingSource
}

function preparedJob(job: Job, host: JobHost, engine: Engine): Outcome<Prepared> {
  // Nothing is compared here, and expected contents need not be there.
  const { value, diagnostics } = prepareJob({ ...job, checks: [] }, host, engine)
  if (value === undefined) return failure(diagnostics)
  const { loaded, bindings, groups, shader, options } = value
  const source = { engine, loaded, bindings, groups, options }
  return outcomeOf({ name: job.name, container: shader.container, source }, diagnostics)
}

/** The dispatch of a frame, after the commands before it have been carried out. */
async function preparedCommand(
  frame: FrameJob,
  host: JobHost,
  engine: Engine,
  wanted: number | undefined,
): Promise<Outcome<Prepared>> {
  const { value, diagnostics } = prepareFrame({ ...frame, checks: [] }, host, engine)
  if (value === undefined) return failure(diagnostics)
  const { commands } = value
  const at = wanted ?? commands.findIndex((c) => c.work?.kind === 'dispatch')
  const work = commands[at]?.work
  if (work?.kind !== 'dispatch') {
    const what =
      commands[at] === undefined ? `there is no command ${at} of ${commands.length}` : `command ${at} is no dispatch`
    const text = at < 0 ? 'the frame has no dispatch, and draws cannot be debugged yet' : what
    return failure([...diagnostics, diagnostic('session-frame', text, { kind: 'path', path: '$.commands' })])
  }
  const found: Diagnostic[] = [...diagnostics]
  for (const { run } of commands.slice(0, at)) appendAll(found, (await run({})).diagnostics)
  const { loaded, bindings, container, options } = work
  const source = { engine, loaded, bindings, groups: work.groups(), options }
  return outcomeOf({ name: `${frame.name} command ${at}`, container, source }, found)
}

function slotNamesOf(reflection: Reflection | undefined): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const r of reflection?.resources ?? []) {
    const register = r.register === 'cb' ? 'b' : r.register
    if (register !== 't' && register !== 'u' && register !== 'b') continue
    names.set(printSlot({ register, index: r.slot, space: r.space }), r.name)
  }
  return names
}

/** A session over what a run description says, at its start. The engine must be one that steps. */
export async function openSession(
  description: Description,
  host: JobHost,
  engine: Engine,
  options: SessionOptions,
): Promise<Outcome<DebugSession>> {
  const prepared =
    description.kind === 'job'
      ? preparedJob(description.job, host, engine)
      : await preparedCommand(description.frame, host, engine, options.command)
  if (prepared.value === undefined) return failure(prepared.diagnostics)
  const { name, container, source } = prepared.value
  const shader = shaderIn(container)
  if (shader.value === undefined) return failure([...prepared.diagnostics, ...shader.diagnostics])
  const { program } = shader.value
  const { value: map, diagnostics: ofMap } = sourceOf(shader.value, options.database && { database: options.database })
  const made = createTimeLine(source, options)
  const found = [...prepared.diagnostics, ...ofMap.filter((d) => d.severity !== 'error'), ...made.diagnostics]
  if (made.value === undefined || hasErrors(found)) return failure(found)
  const { declarations } = source.loaded
  const reflection = reflect(container).value
  const session = new DebugSession({
    name,
    program,
    declarations,
    map,
    listingMap: map.origin === 'listing' ? map : listingMap(program, reflection, declarations),
    source,
    timeLine: made.value,
    operations: options.operations,
    listing: statementLister(program),
    registers: (statement) => registerVariables(declarations, statement),
    slotNames: slotNamesOf(reflection),
  })
  return outcomeOf(session, found)
}
