/** Which registers are read past their end on purpose, for the detector of accesses out of bounds. */

import type { Declarations, RegisterRange, UndefinedEvent } from '../engine/index.ts'
import { parseSlot, type Slot } from '../machine/index.ts'

type HasZeroBorder = (space: UndefinedEvent['space'], register: number) => boolean

/** Identifiers of the ranges that hold one of the slots. */
function idsOf(ranges: readonly RegisterRange[], slots: readonly Slot[], file: 't' | 'u'): ReadonlySet<number> {
  const held = ranges.filter((r) =>
    slots.some((s) => s.register === file && s.space === r.space && s.index >= r.first && s.index <= r.last),
  )
  return new Set(held.map((r) => r.id))
}

/** Whether loads out of bounds of a register, by its identifier, are meant to give 0. */
export function zeroBorderOf(given: readonly string[] | 'all' | undefined, d: Declarations): HasZeroBorder {
  if (given === undefined) return () => false
  if (given === 'all') return (space) => space === 'srv' || space === 'uav'
  const slots = given.flatMap((text) => parseSlot(text) ?? [])
  const [srvs, uavs] = [idsOf(d.resources, slots, 't'), idsOf(d.uavs, slots, 'u')]
  return (space, register) => (space === 'srv' ? srvs : space === 'uav' ? uavs : undefined)?.has(register) ?? false
}
