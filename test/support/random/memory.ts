import { atomicOperation, INSTRUCTIONS } from '../../../src/isa/index.ts'
import { missingRows, pickRow } from './values.ts'
import {
  INPUT_BYTES,
  ORDERLESS_OPERATIONS,
  OWN_BYTES,
  OWN_SHARED_BYTES,
  PLACE,
  type Place,
  SCRATCH,
  SELF,
  SHARED_WORDS,
  type Writer,
} from './writer.ts'

/** A load of anywhere: in bounds, past the end, misaligned. The address or index, in a component. */
function somewhere(w: Writer, bounds: readonly number[]): string {
  const address = w.one()
  if (w.r.chance(0.35)) return address
  w.line(`and ${SCRATCH}.z, ${address}, l(${w.r.pick(bounds)})`)
  return `${SCRATCH}.z`
}

/** Form of an access with fxc's words about the resource, which change nothing. */
const shaped = (w: Writer, mnemonic: string, words: string): string =>
  !w.hasRanges && !w.plan.model.startsWith('4') && w.r.chance(0.5) ? `${mnemonic}_indexable(${words})` : mnemonic

const RAW = 'raw_buffer)(mixed,mixed,mixed,mixed'
const structured = (stride: number): string => `structured_buffer, stride=${stride})(mixed,mixed,mixed,mixed`

/** Result of a load: its destination, and for the forms with feedback the status. */
function loaded(w: Writer, mnemonic: string): { readonly mnemonic: string; readonly to: string } {
  const to = `${w.value()}.${w.mask()}`
  const part = w.plan.emphasis === undefined ? 0.06 : 0.2
  if (w.plan.model.startsWith('4') || !w.r.chance(part)) return { mnemonic, to }
  return { mnemonic: `${mnemonic}_s`, to: `${to}, ${w.r.chance(0.5) ? 'null' : w.one()}` }
}

function loadRaw(w: Writer): void {
  const { mnemonic, to } = loaded(w, 'ld_raw')
  const where = somewhere(w, [INPUT_BYTES * 2 - 1, INPUT_BYTES - 4, 60])
  w.line(`${shaped(w, mnemonic, RAW)} ${to}, ${where}, ${w.slot('t', 0)}.${w.swizzle()}`)
}

/** Steps of thread numbers in bytes: in order, over each other's lines, past 2^24, and such as wrap. */
const STEPS = [
  4, 8, 12, 16, 64, 6, 0x0100_0001, 0x0100_0000, 0x4000_0000, 0x7fff_fffc, 0x8000_0000, 0xffff_fffc,
] as const

/** A load at a number of the thread times a constant, and a second one or a word of a buffer beside it. */
function loadByThread(w: Writer): void {
  const { r } = w
  const number = (): string =>
    w.inputs === undefined
      ? `${r.pick(['vThreadIDInGroup', 'vThreadID', 'vThreadGroupID'])}.${r.pick(['x', 'x', 'y', 'z'])}`
      : `${SELF}.${r.pick(['x', 'y'])}`
  w.line(`imul null, ${SCRATCH}.z, ${r.chance(0.5) ? number() : `${SELF}.y`}, l(${r.pick(STEPS)})`)
  if (r.chance(0.5)) w.line(`imad ${SCRATCH}.z, ${number()}, l(${r.pick(STEPS)}), ${SCRATCH}.z`)
  if (r.chance(0.3)) w.line(`iadd ${SCRATCH}.z, ${SCRATCH}.z, ${w.constants(0, '0')}.${r.pick(['x', 'y'])}`)
  if (r.chance(0.5)) w.line(`ld_raw ${w.value()}.${w.mask()}, ${SCRATCH}.z, ${w.slot('t', 0)}.${w.swizzle()}`)
  else w.line(`ld_structured ${w.value()}.${w.mask()}, ${SCRATCH}.z, l(0), ${w.slot('t', 1)}.${w.swizzle()}`)
}

/** What reads a word into r6.z through the register that r6.w computes. */
const LINKS: readonly ((w: Writer) => string)[] = [
  () => `mov ${SCRATCH}.z, CB2[${SCRATCH}.w + 2][${SCRATCH}.w + 0].x`,
  (w) => `mov ${SCRATCH}.z, CB2[${SCRATCH}.w + 2][${w.r.below(3)}].y`,
  (w) => `ld_raw ${SCRATCH}.z, l(${4 * w.r.below(8)}), T20[${SCRATCH}.w + 20].x`,
  (w) => `ld_raw ${SCRATCH}.z, l(${4 * w.r.below(8)}), T24[${SCRATCH}.w + 24].x`,
  (w) => `ld_structured ${SCRATCH}.z, l(${w.r.below(4)}), l(0), T28[${SCRATCH}.w + 28].x`,
]

/** The ranges that chains go through: several spaces, one without end. */
export const CHAIN_RANGES = [
  'dcl_constantbuffer CB2[2:5][4], dynamicIndexed, space=1',
  'dcl_resource_raw T20[20:23], space=0',
  'dcl_resource_raw T24[24:*], space=2',
  'dcl_resource_structured T28[28:30], 4, space=1',
] as const

/** Registers computed from what was read through computed registers. */
function chain(w: Writer): void {
  let from = w.one()
  for (let n = 1 + w.r.below(3); n >= 0; n--) {
    // Now and then whatever the word is: outside of most ranges.
    w.line(w.r.chance(0.1) ? `mov ${SCRATCH}.w, ${from}` : `and ${SCRATCH}.w, ${from}, l(3)`)
    w.line(w.r.pick(LINKS)(w))
    from = `${SCRATCH}.z`
  }
  w.line(`mov ${w.value()}.${w.mask()}, ${from}`)
}

function byteOffset(w: Writer): string {
  return w.r.chance(0.7) ? `l(${w.r.pick([0, 4, 8, 12, 16, 3, 28])})` : w.one()
}

function loadStructured(w: Writer): void {
  const { mnemonic, to } = loaded(w, 'ld_structured')
  const index = somewhere(w, [127, 15, 3])
  const offset = byteOffset(w)
  const words = structured(w.plan.strides.input)
  w.line(`${shaped(w, mnemonic, words)} ${to}, ${index}, ${offset}, ${w.slot('t', 1)}.${w.swizzle()}`)
}

/** Loads of what the thread itself stored. */
function loadOwn(w: Writer): void {
  const { mnemonic, to } = loaded(w, 'ld_raw')
  w.line(`iadd ${PLACE}.w, ${SELF}.w, l(${w.r.below(OWN_BYTES - 15)})`)
  w.line(`${mnemonic} ${to}, ${PLACE}.w, ${w.slot('u', 0)}.${w.swizzle()}`)
}

function loadShared(w: Writer): void {
  // g0 and g2 are other threads' too, so that only the own places may be read between barriers.
  const { mnemonic, to } = loaded(w, w.r.chance(0.5) ? 'ld_structured' : 'ld_raw')
  if (mnemonic.startsWith('ld_structured')) {
    w.line(`${mnemonic} ${to}, ${SELF}.y, l(${w.r.pick([0, 0, 1])}), g0.${w.r.pick(['xyzw', 'yxwz', 'zzzz'])}`)
    return
  }
  w.line(`ishl ${PLACE}.w, ${SELF}.y, l(3)`)
  w.line(`${mnemonic} ${to}, ${PLACE}.w, g2.${w.r.pick(['xyxy', 'yxyx', 'xxxx'])}`)
}

/** A place past every end, for stores that must be dropped. */
function beyond(w: Writer, first: number): string {
  w.line(`and ${PLACE}.w, ${w.one()}, l(0x7ffffffc)`)
  w.line(`umax ${PLACE}.w, ${PLACE}.w, l(${first})`)
  return `${PLACE}.w`
}

/** Stores to the thread's own bytes of u0; rarely past the end of it, where nothing may change. */
export function emitStore(w: Writer, offset: number, register: number): void {
  const { r } = w
  const count = 1 + r.below(4)
  const value = r.chance(0.1) ? w.literal() : `r${register}.${w.swizzle()}`
  if (r.chance(0.05)) {
    w.line(`store_raw ${w.slot('u', 0)}.${w.mask(2 ** count - 1)}, ${beyond(w, w.plan.total * OWN_BYTES)}, ${value}`)
    return
  }
  // An address of no whole dword is rounded down.
  const odd = r.chance(0.05) ? r.below(4) : 0
  w.line(`iadd ${PLACE}.w, ${SELF}.w, l(${offset + odd})`)
  w.line(`store_raw ${w.slot('u', 0)}.${w.mask(2 ** count - 1)}, ${PLACE}.w, ${value}`)
}

function storeStructured(w: Writer): void {
  const count = 1 + w.r.below(4)
  const value = `${w.value()}.${w.swizzle()}`
  const offset = byteOffset(w)
  const index = w.r.chance(0.05) ? beyond(w, w.plan.total) : `${SELF}.x`
  w.line(`store_structured ${w.slot('u', 2)}.${w.mask(2 ** count - 1)}, ${index}, ${offset}, ${value}`)
}

function storeShared(w: Writer): void {
  const value = `${w.value()}.${w.swizzle()}`
  if (w.r.chance(0.1)) {
    w.line(`store_structured g0.xy, ${beyond(w, w.plan.count)}, l(0), ${value}`)
    return
  }
  if (w.r.chance(0.5)) {
    const count = 1 + w.r.below(4)
    w.line(`store_structured g0.${w.mask(2 ** count - 1)}, ${SELF}.y, l(${w.r.pick([0, 0, 2])}), ${value}`)
    return
  }
  w.line(`ishl ${PLACE}.w, ${SELF}.y, l(3)`)
  w.line(`store_raw g2.${w.r.pick(['x', 'xy'])}, ${PLACE}.w, ${value}`)
}

function loadConstantFile(w: Writer): void {
  w.line(`mov ${w.value()}.${w.mask()}, ${w.constants(0, w.relative())}.${w.swizzle()}`)
}

/** A load or store that no other thread sees. */
export function emitMemory(w: Writer, isOld: boolean): void {
  const kinds = [loadRaw, loadRaw, loadStructured, loadStructured, loadConstantFile, loadByThread]
  if (w.plan.chains) kinds.push(chain, chain, chain, chain)
  if (!isOld && w.plan.writes) {
    kinds.push(loadOwn)
    if (w.plan.uavs.has(2)) kinds.push(storeStructured, loadOwnStructure)
    if (w.inputs === undefined) kinds.push(loadShared, storeShared)
  }
  w.r.pick(kinds)(w)
}

function loadOwnStructure(w: Writer): void {
  const { mnemonic, to } = loaded(w, 'ld_structured')
  const offset = byteOffset(w)
  w.line(`${mnemonic} ${to}, ${SELF}.x, ${offset}, ${w.slot('u', 2)}.${w.swizzle()}`)
}

/** Atomics whose order does not show: one operation a place, since two different ones do not commute. */
const ORDERLESS = INSTRUCTIONS.filter(
  (row) => row.traits.kind === 'atomic' && atomicOperation(row.traits.operation).commutative,
)

interface SharedPlace {
  readonly name: string
  /** Operand for a dword. */
  readonly address: (dword: string) => string
}

function sharedPlaces(w: Writer): SharedPlace[] {
  const bytes = (dword: string): string => {
    w.line(`ishl ${PLACE}.x, ${dword}, l(2)`)
    return `${PLACE}.x`
  }
  const places: SharedPlace[] = w.inputs === undefined ? [{ name: 'g1', address: bytes }] : []
  if (w.plan.uavs.has(1)) places.push({ name: w.slot('u', 1), address: bytes })
  if (w.plan.uavs.has(7)) {
    places.push({
      name: w.slot('u', 7),
      // Structures of 8 bytes: index, byte offset.
      address: (dword) => {
        w.line(`ushr ${PLACE}.x, ${dword}, l(1)`)
        w.line(`and ${PLACE}.y, ${dword}, l(1)`)
        w.line(`ishl ${PLACE}.y, ${PLACE}.y, l(2)`)
        return `${PLACE}.xyxx`
      },
    })
  }
  return places
}

/** The value before goes where nothing reads it: it depends on the order, which draws alone have (docs/drawing.md). */
const original = (w: Writer): string => (w.inputs === undefined ? `${PLACE}.w` : w.one())

function sharedAtomic(w: Writer): void {
  const row = pickRow(w, ORDERLESS)
  if (row.traits.kind !== 'atomic') return
  const places = sharedPlaces(w)
  if (places.length === 0) {
    ownAtomic(w)
    return
  }
  const { name, address } = w.r.pick(places)
  const first = ORDERLESS_OPERATIONS.indexOf(row.traits.operation) * 16
  w.line(`and ${PLACE}.z, ${w.one()}, l(${w.r.pick([0, 1, 7, 15])})`)
  w.line(`iadd ${PLACE}.z, ${PLACE}.z, l(${w.r.chance(0.05) ? SHARED_WORDS : first})`)
  const to = row.traits.returnsOriginal ? `${original(w)}, ` : ''
  w.line(`${row.mnemonic} ${to}${name}, ${address(`${PLACE}.z`)}, ${w.one()}`)
}

const ATOMICS = INSTRUCTIONS.filter((row) => row.traits.kind === 'atomic')

/** Any atomic on a dword of the thread's own: the value before is then the same on every engine. */
function ownAtomic(w: Writer): void {
  const row = pickRow(w, ATOMICS)
  if (row.traits.kind !== 'atomic') return
  const values = atomicOperation(row.traits.operation).compares ? `${w.one()}, ${w.one()}` : w.one()
  const to = row.traits.returnsOriginal ? `${w.one()}, ` : ''
  const kind = w.r.below(w.inputs === undefined ? 3 : 2)
  if (kind === 0 || (w.inputs !== undefined && !w.plan.uavs.has(2))) {
    w.line(`iadd ${PLACE}.x, ${SELF}.w, l(${w.r.below(OWN_BYTES)})`)
    w.line(`${row.mnemonic} ${to}${w.slot('u', 0)}, ${PLACE}.x, ${values}`)
  } else if (kind === 1 && w.plan.uavs.has(2)) {
    w.line(`mov ${PLACE}.x, ${SELF}.x`)
    w.line(`mov ${PLACE}.y, l(${w.r.pick([0, 4, 8, 1])})`)
    w.line(`${row.mnemonic} ${to}${w.slot('u', 2)}, ${PLACE}.xyxx, ${values}`)
  } else {
    w.line(`ishl ${PLACE}.x, ${SELF}.y, l(3)`)
    w.line(`${row.mnemonic} ${to}g2, ${PLACE}.x, ${values}`)
  }
}

/** The atomics that the plan prefers and the program has none of. */
export function emitMissingAtomics(w: Writer): void {
  while (missingRows(w, ATOMICS).length > 0) ownAtomic(w)
}

/** Counters: what a thread gets depends on the order, so only records that are sorted later go there, each to a place of its own. */
function counters(w: Writer, place: Place): void {
  if (w.plan.uavs.has(6) && w.r.chance(0.5)) w.line(`imm_atomic_consume ${original(w)}, ${w.fixedSlot('u', 6)}`)
  if (!w.plan.uavs.has(5) || !place.once) return
  w.line(`imm_atomic_alloc ${PLACE}.z, ${w.fixedSlot('u', 5)}`)
  w.line(`mov ${PLACE}.x, ${SELF}.x`)
  w.line(`mov ${PLACE}.y, l(${w.appends})`)
  w.line(`store_structured ${w.fixedSlot('u', 5)}.xy, ${PLACE}.z, l(0), ${PLACE}.xyxx`)
  w.appends++
}

export function emitAtomic(w: Writer, place: Place): void {
  const kind = w.r.below(6)
  if (kind < 3) sharedAtomic(w)
  else if (kind < 5) ownAtomic(w)
  else counters(w, place)
}

/** Barriers that wait for the group and order its shared memory; some order views too. */
const GROUP_SYNCS = ['sync_g_t', 'sync_uglobal_g_t', 'sync_ugroup_g_t'] as const
/** Fences without a barrier: they may stand anywhere. */
export const FENCES = ['sync_g', 'sync_uglobal', 'sync_ugroup', 'sync_uglobal_g'] as const

/** Own words, a barrier, a neighbor's words, a barrier. */
export function emitExchange(w: Writer): void {
  const { r, plan } = w
  const sync = r.pick(GROUP_SYNCS)
  w.line(`store_structured g0.xyzw, ${SELF}.y, l(0), ${w.value()}.xyzw`)
  const isOld = plan.model.startsWith('4')
  if (!isOld) {
    w.line(`ishl ${PLACE}.w, ${SELF}.y, l(3)`)
    w.line(`store_raw g2.xy, ${PLACE}.w, ${w.value()}.${w.swizzle()}`)
  }
  w.line(sync)
  w.line(`xor ${SCRATCH}.z, ${SELF}.y, l(${r.pick([1, 3, 5, 8, 64])})`)
  const offset = r.pick([0, 0, 4, 12, 13])
  w.line(`ld_structured ${w.value()}.${w.mask()}, ${SCRATCH}.z, l(${offset}), g0.${w.swizzle()}`)
  if (r.chance(0.2)) w.line(`ld_structured ${w.value()}.${w.mask()}, ${w.one()}, ${w.one()}, g0.${w.swizzle()}`)
  if (!isOld) {
    if (r.chance(0.5)) w.line(`ld_raw ${w.value()}.${w.mask()}, l(${4 * r.below(SHARED_WORDS + 2)}), g1.${w.swizzle()}`)
    const where = somewhere(w, [OWN_SHARED_BYTES * plan.count - 1, 15])
    w.line(`ld_raw ${w.value()}.${w.mask()}, ${where}, g2.${w.swizzle()}`)
    if (r.chance(0.4)) neighbor(w)
  }
  w.line(r.chance(0.5) ? sync : 'sync_g_t')
}

/** What another thread of the group stored to a view, once a barrier has ordered it. */
function neighbor(w: Writer): void {
  w.line(`store_raw ${w.slot('u', 0)}.xy, ${SELF}.w, ${w.value()}.${w.swizzle()}`)
  w.line('sync_ugroup_g_t')
  w.line(`xor ${SCRATCH}.z, ${SELF}.y, l(${w.r.pick([1, 2, 7])})`)
  w.line(`umin ${SCRATCH}.z, ${SCRATCH}.z, l(${w.plan.count - 1})`)
  w.line(`iadd ${SCRATCH}.z, ${SCRATCH}.z, -${SELF}.y`)
  w.line(`imad ${SCRATCH}.z, ${SCRATCH}.z, l(${OWN_BYTES}), ${SELF}.w`)
  w.line(`ld_raw ${w.value()}.${w.mask()}, ${SCRATCH}.z, ${w.slot('u', 0)}.${w.r.pick(['xyxy', 'yyxx'])}`)
  w.line('sync_ugroup_g_t')
}
