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
import type { RecorderOptions } from './graph.ts'
import { compileLoad, compileStore } from './memory.ts'
import { compileDerivative, compileEval } from './quads.ts'
import { compileQuery } from './query.ts'
import { createRecorder, kernelsFor, type Recorder } from './recorder.ts'
import { compileGather, compileSample } from './sampling.ts'
import {
  beginStatement,
  type CompileContext,
  type Op,
  type Statement,
  type StaticSlot,
  type Watched,
} from './statement.ts'
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

interface Compilation {
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

interface Arithmetic {
  readonly recorderOptions: RecorderOptions
  readonly kernels: ReturnType<typeof kernelsFor>
}

/** By configuration: a hull shader may have thousands of phases, each of which is compiled by itself. */
const ARITHMETIC = new Map<string, Arithmetic>()

function arithmeticOf(denormals: 'flush' | 'keep', fused: boolean): Arithmetic {
  const key = `${denormals} ${fused}`
  let made = ARITHMETIC.get(key)
  if (made === undefined) {
    const numbers = numberOps({ denormals, fma: fused })
    const recorderOptions = { numbers, flush: denormals === 'flush', fused }
    made = { recorderOptions, kernels: kernelsFor(recorderOptions) }
    ARITHMETIC.set(key, made)
  }
  return made
}

/** Shifts of Shader Model 4 and the like read their amount through a swizzle, so nothing depends on the model here. */
function createContext(
  d: Declarations,
  entry: EntryDeclaration,
  options: LoadOptions,
  width: number,
  watched: Watched,
): CompileContext {
  const denormals = options.denormals ?? 'flush'
  const fused = options.fma === 'always'
  const columns = createColumns(d, entry, width)
  const recorderOf = (multipliesOnce: boolean): Recorder => {
    const { recorderOptions, kernels } = arithmeticOf(denormals, multipliesOnce)
    return createRecorder(columns, recorderOptions, kernels)
  }
  const recorder = recorderOf(fused)
  return {
    declarations: d,
    options,
    observed: watched !== 'nothing',
    showsWrites: watched === 'events and writes',
    columns,
    numbers: arithmeticOf(denormals, fused).recorderOptions.numbers,
    recorder,
    preciseRecorder: fused ? recorderOf(false) : recorder,
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

/** What compiling an entry of a program makes, one op after the other. */
interface Entry {
  readonly context: CompileContext
  readonly structure: Structure
  readonly ops: Iterable<Op>
}

function* opsOf(context: CompileContext, structure: Structure): Iterable<Op> {
  const { columns, declarations, options } = context
  for (const [at, { instruction, row, statement }] of structure.code.entries()) {
    if (at % STATEMENTS_PER_PROGRESS === 0) options.progress?.()
    if (instruction === undefined || row === undefined) yield endFunction
    else if (columns.steps > MAX_STEPS) yield nothing
    else {
      const s = beginStatement(context, instruction, row, statement, isPrecise(row, instruction.controls))
      const isOfStage = row.stages.includes(declarations.stage.kind)
      yield isOfStage ? compileStatement(s, row.traits, structure, at) : refuseInstruction(s)
      if (columns.steps > MAX_STEPS) context.diagnostics.push(tooLarge(statement))
    }
  }
}

function beginEntry(
  d: Declarations,
  options: LoadOptions,
  width: number,
  watched: Watched,
  entry: EntryDeclaration,
): Entry {
  const context = createContext(d, entry, options, width, watched)
  const { structure, diagnostics } = findStructure(d.program, entry.first, entry.end)
  context.diagnostics.pushAll(diagnostics)
  const isBroken = diagnostics.length > 0
  return { context, structure, ops: isBroken ? structure.code.map(() => nothing) : opsOf(context, structure) }
}

/** Compiles one entry of a program for waves of a width. `watched` code reports what it does to an observer. */
export function compileProgram(
  d: Declarations,
  options: LoadOptions,
  width: number,
  watched: Watched,
  entry: EntryDeclaration = d.entries[0]!,
): Compilation {
  const { context, structure, ops: made } = beginEntry(d, options, width, watched, entry)
  const ops = [...made]
  const { viewSlots, samplerSlots, columns } = context
  const statements = Int32Array.from(structure.code, (e) => e.statement)
  return { code: { ops, statements, columns, viewSlots, samplerSlots }, diagnostics: context.diagnostics.finish() }
}

/** Programs must compile at some width to be accepted; 4 is as good as any and quick. */
const TRIAL_WIDTH = 4

/** What is wrong with an entry of a program. Nothing of its code is kept: that of a large program fills the memory. */
export function checkEntry(d: Declarations, options: LoadOptions, entry: EntryDeclaration): readonly Diagnostic[] {
  const { context, ops } = beginEntry(d, options, TRIAL_WIDTH, 'nothing', entry)
  for (const _ of ops);
  return context.diagnostics.finish()
}
