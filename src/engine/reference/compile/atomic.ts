import { type AtomicOperation, atomicResult, FILE, supportsAtomic, type Traits } from '../../../isa/index.ts'
import { report, undefinedWord } from '../run/report.ts'
import type { Wave } from '../run/state.ts'
import { viewReference } from '../run/view-slot.ts'
import {
  createLocator,
  DROPPED,
  declaredShape,
  keepPages,
  type Locator,
  memoryEvent,
  UNDEFINED,
  wordsOf,
} from './access.ts'
import { type Result, writeResults } from './destination.ts'
import type { Value } from './graph.ts'
import { withoutHelpers } from './helper-lanes.ts'
import { complete, evaluateColumns, operandOf, resultColumns } from './memory.ts'
import { sourceValue } from './operand.ts'
import { type Op, type Statement, siteOf } from './statement.ts'
import { addressWords, createTexelLocator, texelAddress, typedDeclaration } from './typed.ts'

/** Atomics on one dword, and the hidden counters of structured UAVs. Lanes take their turns in ascending order. */

type AtomicTraits = Extract<Traits, { kind: 'atomic' }>
type CounterTraits = Extract<Traits, { kind: 'counter' }>

/** The locator of an atomic and the values after the address, by the declared shape of its memory. */
interface AtomicPlan {
  readonly compute: readonly Op[]
  readonly values: readonly number[]
  readonly locator: Locator | undefined
}

function sourceWords(s: Statement): (Value | undefined)[] {
  const first = operandOf(s, 'source', 0)
  const second = operandOf(s, 'source', 1)
  return [sourceValue(s, first, 0), ...(second < 0 ? [] : [sourceValue(s, second, 0)])]
}

function planDwords(
  s: Statement,
  memory: number,
  shape: 'raw' | 'structured',
  returns: boolean,
): AtomicPlan | undefined {
  const address = operandOf(s, 'address')
  // One operand holds both: the index of the structure, then the byte offset (rule 3 of the semantics).
  const structured = shape === 'structured'
  const words = structured ? [sourceValue(s, address, 0), sourceValue(s, address, 1)] : [sourceValue(s, address, 0)]
  const evaluated = evaluateColumns(s, [...words, ...sourceWords(s)])
  if (evaluated === undefined) return undefined
  const { columns, compute } = evaluated
  const locator = createLocator(s, {
    operand: memory,
    access: 'atomic',
    addressing: shape,
    columns: structured
      ? { index: columns[0], byteOffset: columns[1]! }
      : { index: undefined, byteOffset: columns[0]! },
    dwords: [0],
    returns,
  })
  return { compute, values: columns.slice(words.length), locator }
}

function planTexels(s: Statement, memory: number, returns: boolean): AtomicPlan | undefined {
  const declared = typedDeclaration(s, memory)
  if (declared === undefined) return undefined
  const words = addressWords(s, operandOf(s, 'address'), declared.dimension, false, -1)
  const evaluated = words === undefined ? undefined : evaluateColumns(s, [...words, ...sourceWords(s)])
  if (evaluated === undefined) return undefined
  const { columns, compute } = evaluated
  const site = siteOf(s, memory, 'atomic', 'uav')
  const access = { site, address: texelAddress(columns), offsets: [0, 0, 0] as const, returns }
  return { compute, values: columns.slice(5), locator: createTexelLocator(s, memory, access) }
}

/** How the memory of an atomic is shaped: shared memory by its own declaration. */
function shapeOf(s: Statement, memory: number): 'typed' | 'raw' | 'structured' {
  const o = s.instruction.operands[memory]!
  if (o.type !== FILE.tgsm) return declaredShape(s, memory) ?? 'raw'
  const register = o.indices[0]?.kind === 'immediate' ? o.indices[0].value : -1
  return s.context.declarations.tgsm.find((t) => t.register === register)?.shape ?? 'raw'
}

/** A typed view whose format has no such atomic: R32_UINT and R32_SINT have all, R32_FLOAT the exchange (DXGI tables). */
function refusesFormat(w: Wave, locator: Locator, operation: AtomicOperation, row: number): boolean {
  const { view } = locator
  if (view === undefined) return false
  const slot = view.slot >= 0 ? w.dispatch.views[view.slot] : w.rowSlots[row]
  if (slot === undefined || !('format' in slot.view)) return false
  return !supportsAtomic(slot.view.format.capabilities.typedUavAtomic, operation)
}

function atomicRows(
  s: Statement,
  plan: AtomicPlan,
  locator: Locator,
  operation: AtomicOperation,
  result: number | undefined,
): Op {
  const { numbers, observed } = s.context
  // Where two values are given, the first is compared with memory, the second stored.
  const [first, second] = plan.values
  const value = second ?? first!
  const compare = first!
  const { tgsmFirst, site } = locator
  return (w) => {
    locator.locate(w)
    if (observed) keepPages(w, locator, 4)
    const { I, lanes, activeCount, offsets } = w
    for (let k = 0; k < activeCount; k++) {
      const l = lanes[k]!
      let original = 0
      let after = 0
      if (offsets[k]! > DROPPED && refusesFormat(w, locator, operation, k)) {
        offsets[k] = UNDEFINED
        report(w, site, l, { reason: 'format', address: 0, limit: 0, defined: false })
      }
      if (offsets[k]! > DROPPED) {
        const words = wordsOf(w, locator, k)!
        const at = tgsmFirst + (offsets[k]! >> 2)
        original = words[at]!
        after = atomicResult(numbers, operation, original, I[value + l]!, I[compare + l]!)
        words[at] = after
      } else if (offsets[k] === UNDEFINED) original = undefinedWord(w)
      if (result !== undefined) I[result + l] = original
      if (observed && w.observed !== undefined) {
        w.observed.values[k] = after
        w.observed.originals[k] = original
      }
    }
    if (observed) memoryEvent(w, locator, 4, 1)
  }
}

export function compileAtomic(s: Statement, traits: AtomicTraits): Op {
  const memory = operandOf(s, 'memory')
  const { columns, result } = traits.returnsOriginal ? resultColumns(s, 0) : { columns: [], result: undefined }
  const shape = shapeOf(s, memory)
  const plan =
    shape === 'typed'
      ? planTexels(s, memory, traits.returnsOriginal)
      : planDwords(s, memory, shape, traits.returnsOriginal)
  const write = result === undefined ? [] : [writeResults(s, [spread(result, columns, s)])]
  if (plan?.locator === undefined) return () => {}
  const rows = atomicRows(s, plan, plan.locator, traits.operation, columns[0])
  return complete(s, plan.compute, [withoutHelpers(s, rows, columns), ...write])
}

/** The one word that an atomic returns, for every component of the mask. */
function spread(result: Result, columns: readonly number[], s: Statement): Result {
  const value = columns[0] === undefined ? undefined : s.recorder.column(columns[0])
  return { operand: result.operand, values: result.values.map((v) => (v === undefined ? undefined : value)) }
}

/** imm_atomic_alloc gives the counter before its increment, imm_atomic_consume after its decrement; both wrap. */
export function compileCounter(s: Statement, traits: CounterTraits): Op {
  const memory = operandOf(s, 'memory')
  const { columns, result } = resultColumns(s, 0)
  const column = columns[0]
  const view = viewReference(s, memory)
  const write = writeResults(s, [spread(result, columns, s)])
  if (view === undefined) return () => {}
  const site = siteOf(s, memory, 'atomic', 'counter')
  const step = traits.direction === 'alloc' ? 1 : -1
  const locator: Locator = { site, space: 'counter', width: 1, locate: () => {}, view, tgsmFirst: 0 }
  const { observed } = s.context
  const count: Op = (w) => {
    for (let k = 0; k < w.activeCount; k++) {
      const l = w.lanes[k]!
      const slot = view.of(w, l, site)
      w.rowSlots[k] = slot
      const counter = slot !== undefined && 'counter' in slot.view ? slot.view.counter : undefined
      const before = counter === undefined ? 0 : counter.words[counter.index]!
      const after = (before + step) | 0
      w.offsets[k] = counter === undefined ? DROPPED : 0
      if (counter !== undefined) counter.words[counter.index] = after
      else if (slot === undefined) report(w, site, l, { reason: 'unbound', address: 0, limit: 0, defined: true })
      else report(w, site, l, { reason: 'no-counter', address: 0, limit: 0, defined: false })
      if (column !== undefined) w.I[column + l] = counter === undefined ? 0 : step > 0 ? before : after
      if (observed && w.observed !== undefined) {
        w.observed.values[k] = after
        w.observed.originals[k] = before
      }
    }
    if (observed) memoryEvent(w, locator, 4, 1)
  }
  return complete(s, [], [withoutHelpers(s, count, columns), write])
}
