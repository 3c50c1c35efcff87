import { type Diagnostic, diagnostic, hasErrors } from '../../../diagnostic/index.ts'
import {
  type Cbv,
  DEFAULT_DISPATCH_LIMITS,
  DEFAULT_SCHEDULE,
  type ResolvedBindings,
  type Srv,
  type Uav,
} from '../../../machine/index.ts'
import type { ClassBinding } from '../../class-instances.ts'
import type {
  ClassInstance,
  DispatchOptions,
  DispatchResult,
  Engine,
  EngineFactory,
  LoadedShader,
} from '../../contract.ts'
import { type Declarations, gatherComputeDeclarations, threadsOf } from '../../declarations.ts'
import { createFindings, type Findings } from '../../findings.ts'
import { checkRequest, refusedResult, resetCounters } from '../../request.ts'
import { type Code, compileProgram } from '../compile/compile.ts'
import { runGroups, timeSlices } from './scheduler.ts'
import { type CbvSlot, type Dispatch, type Halt, isHalt, type ViewSlot } from './state.ts'
import { makeViewSlot } from './view-slot.ts'

export const REFERENCE_ENGINE = 'reference'

interface ReferenceShader extends LoadedShader {
  /** Code by wave width and whether an observer looks; made at the first dispatch that needs it. */
  readonly codes: Map<string, Code>
}

function codeOf(shader: ReferenceShader, width: number, observed: boolean): Code {
  const key = `${width} ${observed}`
  const known = shader.codes.get(key)
  if (known !== undefined) return known
  const { code } = compileProgram(shader.declarations, shader.options, width, observed)
  shader.codes.set(key, code)
  return code
}

function cbvSlot(view: Cbv): CbvSlot {
  const { storage, byteOffset, byteLength } = view
  const words = new Int32Array(storage.buffer, storage.byteOffset, storage.words.length)
  // A rest of 1 to 3 bytes counts as a word: the storage is padded with zeros.
  return { view, words, first: byteOffset >> 2, wordCount: Math.ceil(byteLength / 4) }
}

function thisWords(instances: ReadonlyMap<number, ClassInstance>, count: number): Int32Array {
  const words = new Int32Array(count * 4)
  for (const [pointer, i] of instances) {
    words.set([i.constantBuffer ?? 0, i.constantOffset ?? 0, i.texture ?? 0, i.sampler ?? 0], pointer * 4)
  }
  return words
}

interface Prepared {
  readonly code: Code
  readonly bindings: ResolvedBindings
  readonly options: DispatchOptions
  readonly classes: ClassBinding
  readonly findings: Findings
}

function createDispatch(p: Prepared): Dispatch {
  const { code, bindings, options } = p
  const viewCache = new Map<Srv | Uav, ViewSlot>()
  const slotOf = (view: Srv | Uav | undefined): ViewSlot | undefined => {
    if (view === undefined) return undefined
    const slot = viewCache.get(view) ?? makeViewSlot(view)
    viewCache.set(view, slot)
    return slot
  }
  return {
    bindings,
    views: code.viewSlots.map((s) => slotOf(s.file === 'u' ? bindings.u.get(s.key) : bindings.t.get(s.key))),
    samplers: code.samplerSlots.map((s) => bindings.s.get(s.key)),
    cbvs: new Map([...bindings.b].map(([key, view]) => [key, cbvSlot(view)])),
    instances: p.classes.instances,
    thisWords: thisWords(p.classes.instances, p.classes.pointerCount),
    viewCache,
    policy: options.undefinedPolicy ?? 'report',
    observer: options.observer,
    findings: p.findings,
    maxInstructionsPerThread: options.maxInstructionsPerThread ?? DEFAULT_DISPATCH_LIMITS.maxInstructionsPerThread,
    threadInstructions: 0,
    timeSlice: timeSlices(options.schedule ?? DEFAULT_SCHEDULE),
  }
}

/** What a halt says, at the statement where it happened. */
function haltDiagnostics(halt: Halt['halt'], shader: ReferenceShader, statement: number, d: Dispatch): Diagnostic[] {
  const listing = shader.options.listing?.(statement)
  const place = { kind: 'statement', index: statement } as const
  const where = listing === undefined ? place : { ...place, listing }
  switch (halt) {
    case 'budget': {
      const text = `a thread executed more than ${d.maxInstructionsPerThread} instructions, last in the loop at statement ${statement}`
      return [diagnostic('engine-budget', text, where)]
    }
    case 'abort':
      return [diagnostic('engine-abort', `a thread executed abort at statement ${statement}`, where)]
    case 'trap':
      return []
  }
}

function isReferenceShader(shader: LoadedShader): shader is ReferenceShader {
  return shader.engine === REFERENCE_ENGINE && 'codes' in shader
}

function run(shader: ReferenceShader, p: Prepared, groups: readonly [number, number, number]): DispatchResult {
  const { options, findings } = p
  const { declarations } = shader
  const schedule = options.schedule ?? DEFAULT_SCHEDULE
  const d = createDispatch(p)
  resetCounters(p.bindings)
  options.observer?.begin?.({ groups, threads: threadsOf(declarations), waveWidth: schedule.waveWidth })
  const done = (stopped: Halt['halt'] | undefined, extra: readonly Diagnostic[]): DispatchResult => {
    options.observer?.end?.()
    const result = {
      diagnostics: [...extra, ...findings.diagnostics(shader.options.listing)],
      undefinedCount: findings.undefinedCount,
      threadInstructionCount: d.threadInstructions,
    }
    return stopped === undefined ? result : { stopped, ...result }
  }
  try {
    runGroups(d, declarations, p.code, schedule, groups)
    return done(undefined, [])
  } catch (e) {
    if (!isHalt(e)) throw e
    return done(e.halt, haltDiagnostics(e.halt, shader, e.statement, d))
  }
}

/** Programs must compile at some width to be accepted; 4 is as good as any and quick. */
const TRIAL_WIDTH = 4

/**
 * The executable specification: one statement after the other for each wave, every primitive operation exact. Programs
 * are compiled to closures over columns of lanes; no code is generated.
 */
export const createReferenceEngine: EngineFactory = (): Engine => {
  return {
    name: REFERENCE_ENGINE,
    load(program, options = {}) {
      const gathered = gatherComputeDeclarations(program)
      if (gathered.value === undefined) return { diagnostics: gathered.diagnostics }
      const declarations: Declarations = gathered.value
      const { diagnostics } = compileProgram(declarations, options, TRIAL_WIDTH, false)
      const all = [...gathered.diagnostics, ...diagnostics]
      if (hasErrors(all)) return { diagnostics: all }
      const shader: ReferenceShader = { engine: REFERENCE_ENGINE, declarations, options, codes: new Map() }
      return { value: shader, diagnostics: all }
    },
    dispatch(shader, bindings, groups, options = {}) {
      if (!isReferenceShader(shader)) {
        const text = `the shader was loaded by the engine ${shader.engine}, not by ${REFERENCE_ENGINE}`
        return refusedResult([diagnostic('engine-foreign-shader', text)])
      }
      const request = checkRequest(shader.declarations, groups, options)
      if (request.value === undefined) return refusedResult(request.diagnostics)
      const { waveWidth } = options.schedule ?? DEFAULT_SCHEDULE
      const code = codeOf(shader, waveWidth, options.observer !== undefined)
      const findings = createFindings(options.maxDiagnostics ?? DEFAULT_DISPATCH_LIMITS.maxDiagnostics)
      const result = run(shader, { code, bindings, options, classes: request.value, findings }, groups)
      return { ...result, diagnostics: [...request.diagnostics, ...result.diagnostics] }
    },
  }
}
