import { type Diagnostic, diagnostic, failure, hasErrors, type Outcome, outcomeOf } from '../../../diagnostic/index.ts'
import { DEFAULT_DISPATCH_LIMITS, DEFAULT_SCHEDULE, type ResolvedBindings } from '../../../machine/index.ts'
import { withNamedPlaces } from '../../../program/index.ts'
import type {
  BatchExecution,
  DispatchOptions,
  Engine,
  EngineFactory,
  Execution,
  GridInvocations,
  LoadedShader,
} from '../../contract.ts'
import type { Declarations } from '../../declarations.ts'
import { shaderForFast } from '../../fast-shader.ts'
import { createFindings } from '../../findings.ts'
import { gatherDeclarations } from '../../gather/declarations.ts'
import type { Observer } from '../../observer.ts'
import { checkRequest, checkStageRequest, misplacedShader } from '../../request.ts'
import { runAtOnce } from '../../run-execution.ts'
import { type Code, checkEntry, compileProgram } from '../compile/compile.ts'
import type { Watched } from '../compile/statement.ts'
import { ReferenceBatchExecution } from './batch-execution.ts'
import { ReferenceExecution } from './grid-execution.ts'

/** The name of the reference engine in results and options. */
export const REFERENCE_ENGINE = 'reference'

interface ReferenceShader extends LoadedShader {
  /** Code by entry, wave width and the events that an observer gets; made when it is first needed. */
  readonly codes: Map<string, Code>
}

/** An observer that may be given a callback for writes later has the property from the start. */
function watchedBy(observer: Observer | undefined): Watched {
  if (observer === undefined) return 'nothing'
  return 'write' in observer ? 'events and writes' : 'events'
}

function codeOf(
  shader: ReferenceShader,
  width: number,
  watched: Watched,
  entry = 0,
  progress = shader.options.progress,
): Code {
  const key = `${entry} ${width} ${watched}`
  const known = shader.codes.get(key)
  if (known !== undefined) return known
  const { declarations } = shader
  const options = { ...shader.options, ...(progress === undefined ? {} : { progress }) }
  const { code } = compileProgram(declarations, options, width, watched, declarations.entries[entry])
  shader.codes.set(key, code)
  return code
}

function isReferenceShader(shader: LoadedShader): shader is ReferenceShader {
  return shader.engine === REFERENCE_ENGINE && 'codes' in shader
}

function beginGrid(
  shader: ReferenceShader,
  bindings: ResolvedBindings,
  { groups }: GridInvocations,
  options: DispatchOptions,
): Outcome<Execution> {
  const { value: classes, diagnostics } = checkRequest(shader.declarations, groups, options)
  if (classes === undefined) return failure(diagnostics)
  const { waveWidth } = options.schedule ?? DEFAULT_SCHEDULE
  const code = codeOf(shader, waveWidth, watchedBy(options.observer), 0, options.progress)
  const findings = createFindings(options.maxDiagnostics ?? DEFAULT_DISPATCH_LIMITS.maxDiagnostics)
  const prepared = { code, bindings, options, classes, findings }
  return outcomeOf(new ReferenceExecution(shader, prepared, groups), diagnostics)
}

function beginBatches(
  shader: ReferenceShader,
  bindings: ResolvedBindings,
  options: DispatchOptions,
): Outcome<BatchExecution> {
  const { value: classes, diagnostics } = checkStageRequest(shader.declarations, options)
  if (classes === undefined) return failure(diagnostics)
  const { waveWidth } = options.schedule ?? DEFAULT_SCHEDULE
  const quads = shader.declarations.stage.kind === 'pixel'
  // A quad needs four lanes.
  const width = quads ? Math.max(4, waveWidth) : waveWidth
  const watched = watchedBy(options.observer)
  const codes = shader.declarations.entries.map((_, entry) => codeOf(shader, width, watched, entry))
  const findings = createFindings(options.maxDiagnostics ?? DEFAULT_DISPATCH_LIMITS.maxDiagnostics)
  const prepared = { bindings, options, classes, findings }
  return outcomeOf(new ReferenceBatchExecution(shader, codes, prepared), diagnostics)
}

const begin: Engine['begin'] = (shader, bindings, invocations, options = {}) => {
  if (!isReferenceShader(shader)) {
    const text = `the shader was loaded by the engine ${shader.engine}, not by ${REFERENCE_ENGINE}`
    return failure([diagnostic('engine-foreign-shader', text)])
  }
  const misplaced = misplacedShader(shader, invocations)
  if (misplaced !== undefined) return failure([misplaced])
  return invocations.kind === 'grid'
    ? beginGrid(shader, bindings, invocations, options)
    : beginBatches(shader, bindings, options)
}

/**
 * The executable specification: one statement after the other for each wave, every primitive operation exact. Programs
 * are compiled to closures over columns of lanes; no code is generated.
 */
export const createReferenceEngine: EngineFactory = (): Engine => {
  const engine: Engine = {
    name: REFERENCE_ENGINE,
    load(program, options = {}) {
      const gathered = gatherDeclarations(program)
      const named = (found: readonly Diagnostic[]): readonly Diagnostic[] =>
        withNamedPlaces(found, program, options.listing)
      if (gathered.value === undefined) return failure(named(gathered.diagnostics))
      const declarations: Declarations = gathered.value
      const compiled = declarations.entries.flatMap((entry) => checkEntry(declarations, options, entry))
      const all = named([...gathered.diagnostics, ...compiled])
      if (hasErrors(all)) return failure(all)
      const fast = shaderForFast(declarations, options, (o) => engine.load(program, o))
      const shader: ReferenceShader = { engine: REFERENCE_ENGINE, declarations, options, codes: new Map(), ...fast }
      return outcomeOf(shader, all)
    },
    begin,
    dispatch: (shader, bindings, groups, options = {}) =>
      runAtOnce(begin(shader, bindings, { kind: 'grid', groups }, options), options),
  }
  return engine
}
