import { type AtomicOperation, atomicOperation, FILE } from '../../isa/index.ts'
import { componentAt, type Operand, writeMask } from '../../program/index.ts'
import type { AccessAddress, MemorySpace, Value } from '../ir/index.ts'
import { readWord } from './operand.ts'
import { bindingOf, commit, emitStatus, immediateIndex, type Operation, readSource } from './sources-and-results.ts'
import { emitTypedAtomic } from './texture-operations.ts'
import type { Translation } from './translation.ts'
import { Unsupported } from './unsupported.ts'

/** Loads, stores, atomics and counters of buffers and TGSM as items; `operation.ts` calls it. */

interface Place {
  readonly space: MemorySpace
  readonly shape: 'raw' | 'structured' | 'typed'
  readonly stride: number
}

function placeOf(t: Translation, operand: Operand): Place {
  if (operand.type === FILE.tgsm) {
    const register = immediateIndex(operand, 0)
    const d = t.declarations.tgsm.find((x) => x.register === register)
    if (d === undefined) throw new Unsupported(`g${register} is not declared`, 0)
    const { byteOffset, byteLength, stride, count, shape } = d
    return { space: { kind: 'tgsm', byteOffset, byteLength, stride, count }, shape, stride }
  }
  const binding = bindingOf(t, operand)
  const { resource } = t.bindings.uses[binding]!
  const writable = operand.type === FILE.uav
  return { space: { kind: 'buffer', binding, writable }, shape: resource!.shape, stride: resource!.stride }
}

function addressOf(place: Place, first: Value, second: Value | undefined): AccessAddress {
  if (place.shape === 'structured' && second !== undefined) {
    return { space: place.space, index: first, offset: second, stride: place.stride }
  }
  return { space: place.space, index: undefined, offset: first, stride: 0 }
}

/** Operands of an access by role. */
function accessOperands(op: Operation): {
  readonly addresses: Operand[]
  readonly memory: Operand
  readonly dests: Operand[]
} {
  const of = (...roles: string[]): Operand[] =>
    op.row.operands.flatMap((slot, n) => (roles.includes(slot.role) ? [op.instruction.operands[n]!] : []))
  return { addresses: of('address'), memory: of('resource', 'memory')[0]!, dests: of('dest') }
}

export function emitLoad(t: Translation, op: Operation, addressing: 'raw' | 'structured' | 'view'): void {
  const { addresses, memory, dests } = accessOperands(op)
  const place = placeOf(t, memory)
  const [first, second] = addresses.map((a) => readWord(t, a, 0))
  if (addressing !== place.shape) throw new Unsupported('the access does not fit the declaration', op.statement)
  const dest = dests[0]!
  const mask = dest.type === FILE.null ? 0 : writeMask(dest)
  const wanted = [0, 1, 2, 3].filter((c) => (mask >> c) & 1)
  const components = [...new Set(wanted.map((c) => componentAt(memory, c)))].sort((a, b) => a - b)
  if (components.length > 0) {
    const results = components.map((_, i) => t.builder.result(i))
    t.builder.push({
      kind: 'load',
      statement: op.statement,
      address: addressOf(place, first!, second),
      components,
      dwords: wanted.map((c) => componentAt(memory, c)),
      results,
    })
    commit(
      t,
      wanted.map((c) => [dest, c, results[components.indexOf(componentAt(memory, c))]!]),
    )
  }
  emitStatus(t, dests[1])
}

export function emitStore(t: Translation, op: Operation, addressing: 'raw' | 'structured' | 'view'): void {
  const { addresses, memory } = accessOperands(op)
  const place = placeOf(t, memory)
  if (addressing !== place.shape) throw new Unsupported('the access does not fit the declaration', op.statement)
  const [first, second] = addresses.map((a) => readWord(t, a, 0))
  const n = op.row.operands.findIndex((slot) => slot.role === 'source')
  const mask = writeMask(memory)
  const count = 32 - Math.clz32(mask)
  if (count === 0 || mask !== 2 ** count - 1) throw new Unsupported('the write mask of a store has gaps', op.statement)
  const values = Array.from({ length: count }, (_, c) =>
    readSource(t, op.row.operands[n]!, op.instruction.operands[n]!, c),
  )
  const address = addressOf(place, first!, second)
  t.builder.push({ kind: 'store', statement: op.statement, address, values })
}

export function emitAtomic(t: Translation, op: Operation, operation: AtomicOperation, returns: boolean): void {
  const { addresses, memory, dests } = accessOperands(op)
  const sources = op.row.operands.flatMap((slot, n) =>
    slot.role === 'source' ? [readSource(t, slot, op.instruction.operands[n]!, 0)] : [],
  )
  const value = sources[sources.length - 1]!
  const compare = atomicOperation(operation).compares ? sources[0] : undefined
  const place = placeOf(t, memory)
  const dest = returns && dests[0]!.type !== FILE.null ? dests[0] : undefined
  const address = addresses[0]!
  const results = dest === undefined ? [] : [t.builder.result(0)]
  if (place.shape === 'typed') {
    emitTypedAtomic(t, op, { operation, binding: bindingOf(t, memory), address, value, compare, results })
  } else {
    const second = place.shape === 'structured' ? readWord(t, address, 1) : undefined
    const where = addressOf(place, readWord(t, address, 0), second)
    t.builder.push({ kind: 'atomic', statement: op.statement, address: where, operation, compare, value, results })
  }
  if (dest !== undefined) writeAll(t, dest, results[0]!)
}

function writeAll(t: Translation, dest: Operand, value: Value): void {
  const mask = writeMask(dest)
  commit(
    t,
    [0, 1, 2, 3].filter((c) => (mask >> c) & 1).map((c) => [dest, c, value]),
  )
}

export function emitCounter(t: Translation, op: Operation, direction: 'alloc' | 'consume'): void {
  const { memory, dests } = accessOperands(op)
  const results = [t.builder.result(0)]
  t.builder.push({ kind: 'counter', statement: op.statement, binding: bindingOf(t, memory), direction, results })
  if (dests[0]!.type !== FILE.null) writeAll(t, dests[0]!, results[0]!)
}

/** What an atomic or a counter returns to invocations that have no effects: 0. */
export function returnNothing(t: Translation, op: Operation): void {
  op.row.operands.forEach((slot, n) => {
    const operand = op.instruction.operands[n]
    if (slot.role === 'dest' && operand !== undefined && operand.type !== FILE.null) {
      writeAll(t, operand, t.builder.constant(0))
    }
  })
}
