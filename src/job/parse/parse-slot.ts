import { parseSlot, printSlot, type Slot, type SlotRegister } from '../../machine/index.ts'
import type { Fields } from './fields.ts'

const WHAT: Readonly<Record<SlotRegister, string>> = {
  t: 'shader resource views (t#)',
  u: 'unordered access views (u#)',
  b: 'constant buffers (b#)',
  s: 'samplers (s#)',
}

/** A slot in a field; undefined, after a complaint, where it is none, or not one of `registers`. */
export function slotField(f: Fields, name: string, registers: string, what: string): Slot | undefined {
  const text = f.text(name)
  if (text === undefined) return undefined
  return slotOfText(f, name, text, registers, what)
}

/** As slotField, for a text that has been read. `name` is where it stands. */
export function slotOfText(f: Fields, name: string, text: string, registers: string, what: string): Slot | undefined {
  const slot = parseSlot(text)
  if (slot === undefined) {
    f.report('job-slot', name, `"${text}" is not a slot; write t0, u0, b0, s0, or t0,space1`)
    return undefined
  }
  if (registers.includes(slot.register)) return slot
  const right = [...registers].map((r) => WHAT[r as SlotRegister]).join(' or ')
  f.report('job-slot', name, `${what} goes to ${right}; ${printSlot(slot)} was given`)
  return undefined
}

export function sameSlot(a: Slot, b: Slot): boolean {
  return a.register === b.register && a.index === b.index && a.space === b.space
}

/** What stands in slots, found by slot; of two in one slot the first. */
type BySlot<T> = (slot: Slot) => T | undefined

export function bySlot<T extends { readonly slot: Slot }>(all: readonly T[]): BySlot<T> {
  const found = new Map<string, T>()
  for (const one of all) {
    const name = printSlot(one.slot)
    if (!found.has(name)) found.set(name, one)
  }
  return (slot) => found.get(printSlot(slot))
}
