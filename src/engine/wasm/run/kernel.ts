import { DISPATCH, findAddressInputs, GROUP, type Level, Uniformity, Uses } from '../../analysis/index.ts'
import { CodeTooLarge, hasBarrier, hasLoop, type Lowered, type Region, type Value } from '../../ir/index.ts'
import { assertScalar } from '../emit/assertions.ts'
import { Emitter } from '../emit/emitter.ts'
import { descriptorOffset, HEADER, PARAMETERS } from '../emit/kernel-layout.ts'
import { emitScalar, scalarTypeOf } from '../emit/scalar-ops.ts'
import { emitVector, vectorPartsOf } from '../emit/vector-ops.ts'
import { FunctionAssembler, FunctionTooLarge, I32, type Target } from '../encode/assembler.ts'
import { HOST_FUNCTIONS } from '../encode/host-functions.ts'
import { BULK, OP, SIMD } from '../encode/opcodes.ts'
import { assembleModule } from '../encode/writer.ts'
import { SegmentValues } from '../flow/barrier-segments.ts'
import { deadVectors } from '../flow/dead-vectors.ts'
import { GroupCode } from '../flow/group.ts'
import { barrierLabels, GroupPlan, meetsTogether } from '../flow/group-plan.ts'
import { InterleavedWaves } from '../flow/interleaved-waves.ts'
import { InterleavingPlan } from '../flow/interleaved-waves-plan.ts'
import { usesFused } from '../flow/item-questions.ts'
import { NextWave } from '../flow/next-wave.ts'
import { findSpeculatedRanges, type SpeculatedRange } from '../flow/speculation.ts'
import { WaveCode } from '../flow/wave.ts'
import { Waves } from '../flow/waves.ts'
import type { CompiledKernel } from '../report/compiled-kernel.ts'
import { returnsWord } from '../report/findings.ts'
import { Scratch } from './scratch.ts'

/** Brings together the code of a program: plan, emitter, waves and module; `pipeline.ts` runs the parts of `compileKernelInParts`. */

export interface KernelOptions {
  /** v128 per word: 1, 2 or 4. */
  readonly width: number
  /** v128 per word that scratch memory has room for: its layout is the same for all code of a program that takes turns in it. */
  readonly scratchWidth: number
  readonly sharedMemory: boolean
  readonly sharedAtomics: boolean
  /** Code is made so that a host can pack pairs of v128 (pairs.ts). */
  readonly pairs: boolean
  /** The host packs pairs of v128, in code that is not made for it too. */
  readonly packsPairs: boolean
  /** The dispatch ends at the first operation that is undefined. */
  readonly traps: boolean
  /** Code asserts what the compiler takes for granted (emit/assertions.ts). */
  readonly assertions: boolean
  /** Which runs of operations are emitted vector by vector: short ones too, or none (flow/vector-runs.ts). */
  readonly vectorRuns: 'usual' | 'short' | 'none'
  /** Ranges are run without denormal flushes first (flow/speculation.ts). */
  readonly speculates: boolean
}

/** How the waves of a group run: one after the other to their ends, segment by segment together, or interleaved. */
type Plan = { readonly kind: 'waves'; readonly values: SegmentValues } | GroupPlan | InterleavingPlan

function planOf(root: Region, uniformity: Uniformity, scratch: Scratch): Plan {
  if (!root.items.some(hasBarrier)) {
    const values = new SegmentValues(uniformity, scratch, true)
    values.makeRootAvailable(root)
    return { kind: 'waves', values }
  }
  const labels = barrierLabels(root)
  const together = meetsTogether(root, uniformity, labels)
  return new (together ? GroupPlan : InterleavingPlan)(root, labels, uniformity, scratch)
}

/** Private arrays one after the other, in elements. */
function placed(arrays: Lowered['privateArrays']): { readonly first: number; readonly count: number }[] {
  let first = 0
  return arrays.map(({ count }) => {
    const array = { first, count }
    first += count
    return array
  })
}

/** A function whose result is found when it is first asked for. */
function once<T extends object>(find: () => T): () => T {
  let found: T | undefined
  return () => (found ??= find())
}

/** The loop over groups: locals, and where it goes on. */
interface GroupLoop {
  readonly at: number
  readonly sizeX: number
  readonly sizeY: number
  readonly again: Target
}

class KernelCode {
  readonly e: Emitter
  readonly lowered: Lowered
  readonly uniformity: Uniformity
  readonly #scratch: Scratch
  readonly #waves: Waves
  readonly #plan: Plan
  #ranges: ReadonlyMap<number, SpeculatedRange> | undefined

  constructor(lowered: Lowered, options: KernelOptions, known: Uniformity | undefined) {
    const { threads } = lowered.builder.options
    const lanes = options.width * 4
    this.lowered = lowered
    this.uniformity = known?.lanes === lanes ? known : new Uniformity(lowered.builder, lowered.root, threads, lanes)
    this.#scratch = new Scratch(lowered, options.scratchWidth)
    this.#plan = planOf(lowered.root, this.uniformity, this.#scratch)
    const { mustHold } = this.#plan.values
    const uses = new Uses(lowered.root)
    this.e = new Emitter(this.uniformity, uses, (v) => lowered.builder.facts(v), {
      ...options,
      threads,
      isBatch: lowered.declarations.stage.kind !== 'compute',
      mustHold,
      addressInputs: once(() => findAddressInputs(lowered.root)),
      hasLoops: lowered.root.items.some(hasLoop),
      relaxed: lowered.builder.options.relaxed ?? false,
      exchangeOffset: this.#scratch.exchangeOffset,
      runOffset: this.#scratch.runOffset,
      nextWaveOffset: this.#scratch.nextWaveOffset,
      callOffset: this.#scratch.callOffset,
      reportOffset: this.#scratch.reportOffset,
      immediateConstantCount: lowered.declarations.immediateConstants.length >> 2,
      asserts: options.assertions,
      returnsWord: (statement) => returnsWord(lowered.declarations.program, statement),
      privateArrays: placed(lowered.privateArrays),
      code: { emitScalar, scalarTypeOf, emitVector, vectorPartsOf, assertScalar },
    })
    this.#waves = new Waves(this.e, this.#scratch, this.#plan.kind !== 'waves')
  }

  /** Finds the ranges to run without flushes: of a program without barriers it can come before all else. */
  *findRanges(): Generator<void, void> {
    if (this.#plan.kind === 'waves') this.#ranges = yield* findSpeculatedRanges(this.e, this.lowered.root.items)
  }

  *emit(): Generator<void, void> {
    const { e } = this
    const { f } = e
    const { root } = this.lowered
    const { available } = this.#plan.values
    // Values that depend on no merge of the group's flow come first: once a call, then once a group.
    const early = new Set<Value>()
    const areEarly = (values: readonly Value[]): boolean => {
      for (let i = 0; i < values.length; i++) if (values[i]!.op !== 'constant' && !early.has(values[i]!)) return false
      return true
    }
    const defineEarly = (level: Level): void => {
      for (let n = 0; n < root.items.length; n++) {
        const item = root.items[n]!
        if (item.kind !== 'value' || !available.has(item.value) || this.uniformity.level(item.value) > level) continue
        if (!areEarly(item.value.args)) continue
        early.add(item.value)
        e.define(item.value, root)
      }
    }
    defineEarly(DISPATCH)
    const loop = this.#beginGroups()
    e.beginScope()
    defineEarly(GROUP)
    if (this.lowered.declarations.tgsmByteLength > 0) {
      f.get(e.tgsmBase).i32(0).i32(this.lowered.declarations.tgsmByteLength).bulk(BULK.memoryFill)
      f.code.byte(0)
    }
    yield* this.#group()
    e.endScope()
    this.#endGroups(loop)
  }

  *#group(): Generator<void, void> {
    const plan = this.#plan
    if (plan.kind === 'group') new GroupCode(this.e, plan, this.#waves).emit(this.lowered.root)
    else if (plan.kind === 'interleaved') new InterleavedWaves(this.e, plan, this.#waves).emit()
    else yield* this.#wavesWithoutBarriers()
  }

  /** Begins the loop over the groups of the call. */
  #beginGroups(): GroupLoop {
    const { f, group } = this.e
    const [x, y, z] = group as [number, number, number]
    const at = f.local(I32)
    const [sizeX, sizeY] = [f.local(I32), f.local(I32)]
    const header = (n: number, local: number): void =>
      void f
        .get(PARAMETERS.descriptor)
        .memory(OP.i32Load, 2, n * 4)
        .set(local)
    header(HEADER.groupsX, sizeX)
    header(HEADER.groupsY, sizeY)
    f.get(PARAMETERS.first).set(at)
    f.get(at).get(sizeX).op(OP.i32RemU).set(x)
    f.get(at).get(sizeX).op(OP.i32DivU).get(sizeY).op(OP.i32RemU).set(y)
    f.get(at).get(sizeX).op(OP.i32DivU).get(sizeY).op(OP.i32DivU).set(z)
    return { at, sizeX, sizeY, again: f.begin('loop') }
  }

  /** Counts the coordinates of groups along, and goes on with the next one. */
  #endGroups({ at, sizeX, sizeY, again }: GroupLoop): void {
    const { f, group } = this.e
    const [x, y, z] = group as [number, number, number]
    f.get(x).i32(1).op(OP.i32Add).tee(x).get(sizeX).op(OP.i32Eq)
    f.if(() => {
      f.i32(0).set(x)
      f.get(y).i32(1).op(OP.i32Add).tee(y).get(sizeY).op(OP.i32Eq)
      f.if(() => {
        f.i32(0).set(y)
        f.get(z).i32(1).op(OP.i32Add).set(z)
      })
    })
    f.get(at).i32(1).op(OP.i32Add).tee(at).get(PARAMETERS.end).op(OP.i32LtU).brIf(again)
    f.end()
  }

  *#wavesWithoutBarriers(): Generator<void, void> {
    const waves = this.#waves
    const nextWave = new NextWave(this.e, this.lowered.root)
    waves.begin()
    nextWave.first()
    const next = waves.beginWave()
    waves.clearPrivate()
    waves.resetBudget()
    nextWave.begin()
    const wave = new WaveCode(this.e, waves.initialMask(), waves.budget, next)
    yield* wave.items(this.lowered.root, this.lowered.root.items, this.#ranges)
    waves.endWave()
  }

  /** The whole function: constants and descriptors first, which the body's emission collected. */
  finish(options: KernelOptions): CompiledKernel {
    const { e } = this
    const { f } = e
    // Blocks of interleaved waves are jumped to: what stands before them in the code need not have run.
    const zeros = e.settings.pairs && this.#plan.kind !== 'interleaved' ? deadVectors(f.trace) : []
    const zero = zeros.length > 0 ? e.constantLocal([0, 0, 0, 0]) : 0
    const head = new FunctionAssembler(Object.keys(PARAMETERS).length)
    for (const { local, words } of e.constantCode) head.v128(words).set(local)
    for (const [n, local] of e.descriptors) {
      head.get(PARAMETERS.descriptor).memory(OP.i32Load, 2, descriptorOffset(n)).set(local)
    }
    head
      .get(PARAMETERS.descriptor)
      .memory(OP.i32Load, 2, HEADER.immediateConstants * 4)
      .set(e.immediateConstants)
    head.get(PARAMETERS.scratch).tee(e.dump).simd(SIMD.i32Splat).set(e.dumpSplat)
    head.get(PARAMETERS.scratch).i32(this.#scratch.tgsmOffset).op(OP.i32Add).set(e.tgsmBase)
    const body = f.code.bytes()
    this.#waves.patch(body)
    let at = 0
    // How far the body's code moves, from a place in it on.
    const moves = [{ from: 0, by: head.code.length }]
    for (const place of zeros) {
      head.code.append(body.subarray(at, place.at))
      for (const local of place.locals) head.get(zero).set(local)
      at = place.at
      moves.push({ from: at, by: head.code.length - at })
    }
    head.code.append(body.subarray(at)).byte(OP.end)
    const bytes = assembleModule(
      f.imports.map((name) => ({ name, signature: HOST_FUNCTIONS[name] })),
      [
        {
          signature: { params: [I32, I32, I32, I32], results: [] },
          locals: f.locals,
          code: head.code.bytes(),
          exported: 'run',
        },
      ],
      options.sharedMemory,
    )
    // The code of the only function is the last thing in a module.
    const start = bytes.length - head.code.length
    const moved = (place: number): number => start + place + moves.findLast((m) => m.from <= place)!.by
    return {
      bytes,
      statements: e.statements.map((s) => ({ ...s, from: moved(s.from), to: moved(s.to) })),
      lanes: this.uniformity.lanes,
      scratchByteLength: this.#scratch.byteLength(this.#waves.frameCount),
      hostCalls: e.hostCalls.map((item) => ({ item, width: e.width })),
      sites: e.sites,
      reportOffset: this.#scratch.reportOffset,
      assertions: e.assertions ?? [],
      callsHost: e.hostCalls.length > 0 || usesFused(this.lowered.root, e.settings.relaxed),
    }
  }
}

/** Code for a program, of which the uniformity may be `known`, in parts; throws Unsupported for what is not compiled. */
export function* compileKernelInParts(
  lowered: Lowered,
  options: KernelOptions,
  known?: Uniformity,
): Generator<void, CompiledKernel> {
  const code = new KernelCode(lowered, options, known)
  yield
  yield* code.findRanges()
  yield
  try {
    yield* code.emit()
  } catch (e) {
    // Chunks of runs are branches, of which hosts take so many.
    if (e instanceof FunctionTooLarge && options.vectorRuns !== 'none')
      return yield* compileKernelInParts(lowered, { ...options, vectorRuns: 'none' }, code.uniformity)
    if (e instanceof FunctionTooLarge) throw new CodeTooLarge(e.message, code.e.statement)
    throw e
  }
  yield
  return code.finish(options)
}
