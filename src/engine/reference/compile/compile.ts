import { type Diagnostic, DiagnosticCollector, diagnostic } from '../../../diagnostic/index.ts'
import { controlOf, type InstructionRow, PRECISE, SYNC, SYNC_THREADS, type Traits } from '../../../isa/index.ts'
import type { LoadOptions } from '../../contract.ts'
import type { Declarations } from '../../declarations.ts'
import type { EntryDeclaration } from '../../stage-declarations.ts'
import { numberOps } from '../number-ops.ts'
import { waveSite } from '../run/site.ts'
import { type Halt, WAITING } from '../run/state.ts'
import { compileAlu } from './alu.ts'
import { compileAtomic, compileCounter } from './atomic.ts'
import { findStructure, type Structure } from './blocks.ts'
import { endFunction } from './call.ts'
import { type Columns, createColumns } from './columns.ts'
import { compileFlow } from './flow.ts'
import { compileLoad, compileStore } from './memory.ts'
import { compileDerivative, compileEval } from './quads.ts'
import { compileQuery } from './query.ts'
import { kernelsFor } from './recorder.ts'
import { compileGather, compileSample } from './sampling.ts'
import { beginStatement, type CompileContext, type Op, type Statement, type StaticSlot } from './statement.ts'
import { compileStream } from './stream.ts'
import { compileTypedLoad, compileTypedStore } from './typed.ts'

/** A program as ops over waves of one width. */
export interface Code {
  readonly ops: readonly Op[]
  /** Index in `Program.statements` by index in `ops`. */
  readonly statements: Int32Array
  readonly columns: Columns
  readonly viewSlots: readonly StaticSlot[]
  readonly samplerSlots: readonly StaticSlot[]
}

export interface Compilation {
  readonly code: Code
  readonly diagnostics: readonly Diagnostic[]
}

const nothing: Op = () => {}

/** A barrier: with the thread flag the wave waits; without, memory is always coherent here and nothing needs doing. */
function compileSync(s: Statement): Op {
  const flags = controlOf(s.instruction.controls, SYNC)
  const waits = (flags & SYNC_THREADS) !== 0
  const { observed } = s.context
  const statement = s.index
  return (w) => {
    if (observed) w.dispatch.observer?.barrier?.({ wave: waveSite(w), flags })
    if (!waits) return
    w.status = WAITING
    w.waitStatement = statement
    w.waitFlags = flags
  }
}

function compileDebug(s: Statement, action: 'abort' | 'break'): Op {
  if (action === 'break') return nothing
  const statement = s.index
  return (w) => {
    w.statement = statement
    const halt: Halt = { halt: 'abort', statement }
    throw halt
  }
}

function refuseInstruction(s: Statement): Op {
  const place = { kind: 'statement', index: s.index } as const
  s.context.diagnostics.push(
    diagnostic(
      'engine-instruction',
      `${s.row.mnemonic} cannot be executed by a ${s.context.declarations.stage.kind} shader`,
      place,
    ),
  )
  return nothing
}

function compileStatement(s: Statement, traits: Traits, structure: Structure, at: number): Op {
  switch (traits.kind) {
    case 'alu':
      return compileAlu(s, traits.semantics)
    case 'nop':
      return nothing
    case 'flow':
      return compileFlow(s, traits.action, traits.conditional, structure, at)
    case 'load':
      return traits.addressing === 'typed' || traits.addressing === 'view'
        ? compileTypedLoad(s, traits)
        : compileLoad(s, traits.addressing)
    case 'store':
      return traits.addressing === 'typed' || traits.addressing === 'view'
        ? compileTypedStore(s)
        : compileStore(s, traits.addressing)
    case 'atomic':
      return compileAtomic(s, traits)
    case 'counter':
      return compileCounter(s, traits)
    case 'sample':
      return compileSample(s, traits)
    case 'gather':
      return compileGather(s, traits)
    case 'query':
      return compileQuery(s, traits)
    case 'sync':
      return compileSync(s)
    case 'debug':
      return compileDebug(s, traits.action)
    case 'derivative':
      return compileDerivative(s, traits.axis, traits.precision)
    case 'eval':
      return compileEval(s, traits.at)
    case 'stream':
      return compileStream(s, traits.emits, traits.cuts, structure.code[at]!)
    case 'phase':
      return nothing
    case 'custom-data':
    case 'declaration':
      return nothing
  }
}

function isPrecise(row: InstructionRow, controls: number): boolean {
  return row.controls.includes(PRECISE) && controlOf(controls, PRECISE) !== 0
}

/** Shifts of Shader Model 4 and the like read their amount through a swizzle, so nothing depends on the model here. */
function createContext(
  d: Declarations,
  entry: EntryDeclaration,
  options: LoadOptions,
  width: number,
  observed: boolean,
): CompileContext {
  const denormals = options.denormals ?? 'flush'
  const fused = options.fma === 'always'
  const numbers = numberOps({ denormals, fma: fused })
  const recorderOptions = { numbers, flush: denormals === 'flush', fused }
  const precise = { numbers: numberOps({ denormals }), flush: recorderOptions.flush, fused: false }
  return {
    declarations: d,
    options,
    observed,
    columns: createColumns(d, entry, width),
    numbers,
    kernels: kernelsFor(recorderOptions),
    preciseKernels: kernelsFor(precise),
    recorderOptions,
    viewSlots: [],
    samplerSlots: [],
    diagnostics: new DiagnosticCollector(),
  }
}

/** Statements between two looks at the clock of whoever limits the time. */
const STATEMENTS_PER_PROGRESS = 256

/** Beyond these, loading takes seconds and gigabytes. Moves and arithmetic of four components have some ten each. */
const MAX_STEPS = 1_000_000

function tooLarge(statement: number): Diagnostic {
  const text = `up to this statement the program has more than ${MAX_STEPS} steps of the reference engine`
  return diagnostic('engine-code-size', text, { kind: 'statement', index: statement })
}

/** Compiles one entry of a program for waves of a width. `observed` code reports what it does to an observer. */
export function compileProgram(
  d: Declarations,
  options: LoadOptions,
  width: number,
  observed: boolean,
  entry: EntryDeclaration = d.entries[0]!,
): Compilation {
  const context = createContext(d, entry, options, width, observed)
  const { structure, diagnostics } = findStructure(d.program, entry.first, entry.end)
  if (diagnostics.length > 0) context.diagnostics.pushAll(diagnostics)
  const { columns } = context
  const broken = diagnostics.length > 0
  const ops = structure.code.map((entry, at): Op => {
    if (at % STATEMENTS_PER_PROGRESS === 0) options.progress?.()
    const { instruction, row } = entry
    if (instruction === undefined || row === undefined) return endFunction
    if (broken || columns.steps > MAX_STEPS) return nothing
    const precise = isPrecise(row, instruction.controls)
    const s = beginStatement(context, instruction, row, entry.statement, precise)
    if (!row.stages.includes(d.stage.kind)) return refuseInstruction(s)
    const op = compileStatement(s, row.traits, structure, at)
    if (columns.steps > MAX_STEPS) context.diagnostics.push(tooLarge(entry.statement))
    return op
  })
  const { viewSlots, samplerSlots } = context
  const statements = Int32Array.from(structure.code, (e) => e.statement)
  return { code: { ops, statements, columns, viewSlots, samplerSlots }, diagnostics: context.diagnostics.finish() }
}
