import type { InstructionRow } from '../../../src/isa/index.ts'
import type { Returned, TexturePlan } from './plan.ts'
import { PLACE, SCRATCH, SELF, type Writer } from './writer.ts'

/** Loads, samples, gathers and queries of textures and typed buffers, and the thread's own texels of typed UAVs. */

export const bare = (dimension: string): string => dimension.replace(/\(.*/, '')
export const isMultisample = (dimension: string): boolean => dimension.includes('ms')
const isCube = (dimension: string): boolean => dimension.includes('cube')
const types = (returned: Returned): string => `(${Array(4).fill(returned).join(',')})`

export const isInteger = (returned: Returned): boolean => returned === 'uint' || returned === 'sint'

/** Immediate texel offsets along the axes that the dimension has. */
function offsetsOf(w: Writer, t: TexturePlan): string {
  const axis = (has: boolean): number => (has ? w.r.below(16) - 8 : 0)
  const name = bare(t.dimension)
  return `(${axis(true)},${axis(!name.startsWith('texture1d'))},${axis(name === 'texture3d')})`
}

/** `mnemonic_aoffimmi_indexable(...)(...)(...)`: offsets and fxc's words about the resource, each now and then. */
export function form(w: Writer, mnemonic: string, t: TexturePlan, hasOffsets: boolean): string {
  const isOffset = hasOffsets && !isCube(t.dimension) && w.r.chance(0.3)
  const hasWords = !w.hasRanges && !w.plan.model.startsWith('4') && w.r.chance(0.5)
  const name = `${mnemonic}${isOffset ? '_aoffimmi' : ''}${hasWords ? '_indexable' : ''}`
  const words = hasWords ? `(${bare(t.dimension)})${types(t.returned)}` : ''
  return `${name}${isOffset ? offsetsOf(w, t) : ''}${words}`
}

/** Integer coordinates in PLACE: most inside a small texture, some anywhere; a mip in w. */
function texelAddress(w: Writer): string {
  const { r } = w
  if (r.chance(0.2)) return `${w.value()}.${w.swizzle()}`
  w.line(`and ${PLACE}.xyzw, ${w.value()}.${w.swizzle()}, l(7, 7, ${r.pick([1, 3, 7])}, ${r.pick([0, 1, 3])})`)
  return `${PLACE}.xyzw`
}

/** Float coordinates: of moderate size, on texel edges, or anything at all. */
export function sampleAddress(w: Writer): string {
  const { r } = w
  const kind = r.below(5)
  if (kind === 0) return `${w.value()}.${w.swizzle()}`
  if (kind === 1) {
    // Eighths: the edges and centers of texels.
    w.line(`and ${PLACE}.xyzw, ${w.value()}.${w.swizzle()}, l(31, 31, 15, 3)`)
    w.line(`itof ${PLACE}.xyzw, ${PLACE}.xyzw`)
    w.line(`mad ${PLACE}.xyz, ${PLACE}.xyzx, l(0.125, 0.0625, 0.25, 0.0), l(-1.0, 0.0, -0.5, 0.0)`)
  } else if (kind === 2) w.line(`frc ${PLACE}.xyzw, ${w.value()}.${w.swizzle()}`)
  else w.line(`mul ${PLACE}.xyzw, ${w.value()}.${w.swizzle()}, l(0.01, 0.3, 1.0, 2.0)`)
  return `${PLACE}.xyzw`
}

/** Destination and, for the forms with feedback, the status; programs of 4.x have none. */
export function target(w: Writer, feedback: boolean): string {
  const to = `${w.value()}.${w.mask()}`
  if (!feedback) return to
  return `${to}, ${w.r.chance(0.3) ? 'null' : `${SCRATCH}.y`}`
}

export function status(w: Writer, feedback: boolean, to: string): void {
  if (!feedback || to.endsWith('null')) return
  w.line(`check_access_fully_mapped ${w.one()}, ${SCRATCH}.y`)
}

function load(w: Writer, t: TexturePlan): void {
  const feedback = hasFeedback(w)
  const address = texelAddress(w)
  const to = target(w, feedback)
  const multisample = isMultisample(t.dimension)
  const sample = multisample ? `, ${w.r.chance(0.6) ? `l(${w.r.below(5)})` : w.one()}` : ''
  const mnemonic = `${multisample ? 'ldms' : 'ld'}${feedback ? '_s' : ''}`
  w.line(`${form(w, mnemonic, t, true)} ${to}, ${address}, ${w.slot('t', t.register)}.${w.swizzle()}${sample}`)
  status(w, feedback, to)
}

export const hasFeedback = (w: Writer): boolean =>
  !w.plan.model.startsWith('4') && w.r.chance(w.plan.emphasis === 'texels' ? 0.4 : 0.15)

export function reference(w: Writer): string {
  return w.r.chance(0.5) ? 'l(0.5)' : w.one()
}

function sample(w: Writer, t: TexturePlan): void {
  const { r } = w
  const feedback = hasFeedback(w)
  const address = sampleAddress(w)
  const to = target(w, feedback)
  const texture = `${w.slot('t', t.register)}.${w.swizzle()}`
  const mark = feedback ? '_s' : ''
  const kind = r.below(3)
  if (kind === 0 && t.returned !== 'snorm' && t.dimension !== 'texture3d') {
    const text = `${form(w, `sample_c_lz${mark}`, t, true)} ${to}, ${address}, ${texture}, ${w.slot('s', 1)}, ${reference(w)}`
    w.line(text)
  } else if (kind === 1) {
    const gradient = (): string => (r.chance(0.5) ? `${w.value()}.${w.swizzle()}` : 'l(0.1, 0.02, 0.0, 0.0)')
    const clamp = feedback ? `, ${r.chance(0.5) ? 'l(0.5)' : w.one()}` : ''
    w.line(
      `${form(w, feedback ? 'sample_d_cl_s' : 'sample_d', t, true)} ${to}, ${address}, ${texture}, ${w.slot('s', 0)}, ${gradient()}, ${gradient()}${clamp}`,
    )
  } else {
    const lod = r.chance(0.5) ? `l(${r.pick(['0.0', '0.5', '1.0', '-1.0', '1.7'])})` : w.one()
    const saturates = r.chance(0.2) ? '_sat' : ''
    w.line(
      `${form(w, `sample_l${mark}`, t, true)}${saturates} ${to}, ${address}, ${texture}, ${w.slot('s', 0)}, ${lod}`,
    )
  }
  status(w, feedback, to)
}

/** Gathers take Texture2D, its arrays and cubes. */
function gather(w: Writer, t: TexturePlan): void {
  const { r } = w
  const feedback = hasFeedback(w) && w.plan.model !== '4_1'
  const mark = feedback ? '_s' : ''
  const compares = w.plan.model.startsWith('5') && r.chance(0.5) && !isInteger(t.returned) && t.returned !== 'snorm'
  const programmable = w.plan.model.startsWith('5') && !isCube(t.dimension) && r.chance(0.5)
  const address = sampleAddress(w)
  const to = target(w, feedback)
  const mnemonic = `gather4${programmable ? '_po' : ''}${compares ? '_c' : ''}${mark}`
  const offset = programmable ? `, ${r.chance(0.5) ? `${w.value()}.${w.swizzle()}` : 'l(3, -2, 0, 0)'}` : ''
  const sampler = `${w.slot('s', compares ? 1 : 0)}.${compares ? 'x' : r.pick(['x', 'y', 'z', 'w'])}`
  const against = compares ? `, ${reference(w)}` : ''
  w.line(
    `${form(w, mnemonic, t, !programmable)} ${to}, ${address}${offset}, ${w.slot('t', t.register)}.${w.swizzle()}, ${sampler}${against}`,
  )
  status(w, feedback, to)
}

function query(w: Writer, t: TexturePlan): void {
  const { r } = w
  const texture = `${w.slot('t', t.register)}.${w.swizzle()}`
  const to = `${w.value()}.${w.mask()}`
  if (isMultisample(t.dimension)) {
    const kind = r.below(3)
    if (kind === 0) {
      w.line(`sampleinfo${r.pick(['', '_uint'])} ${to}, ${texture}`)
      return
    }
    if (kind === 1) {
      w.line(`samplepos ${to}, ${texture}, ${r.chance(0.5) ? `l(${r.below(5)})` : w.one()}`)
      return
    }
  }
  w.line(
    `resinfo${r.pick(['', '_uint', '_rcpfloat'])} ${to}, ${r.chance(0.5) ? `l(${r.below(4)})` : w.one()}, ${texture}`,
  )
}

function typedBuffer(w: Writer): void {
  const feedback = hasFeedback(w)
  const t = { register: 2, dimension: 'buffer', returned: w.plan.typedBuffer }
  const buffer = `${w.slot('t', 2)}.${w.swizzle()}`
  if (!w.plan.model.startsWith('4') && w.r.chance(0.1)) {
    w.line(
      `bufinfo ${w.value()}.${w.mask()}, ${w.r.pick([w.slot('t', 0), w.slot('t', 1), w.plan.writes ? w.slot('u', 0) : w.slot('t', 0)])}.${w.swizzle()}`,
    )
    w.line(`bufinfo ${w.value()}.${w.mask()}, ${buffer}`)
    return
  }
  const address = texelAddress(w)
  const to = target(w, feedback)
  w.line(`${form(w, feedback ? 'ld_s' : 'ld', t, false)} ${to}, ${address}, ${buffer}`)
  status(w, feedback, to)
}

/** The own element of the typed buffer u3, or the own texel of the texture u4. */
function own(w: Writer): void {
  const { r, plan } = w
  const n = plan.uavs.has(4) && (!plan.uavs.has(3) || r.chance(0.5)) ? 4 : 3
  const uav = w.slot('u', n)
  if (n === 4) {
    w.line(`mov ${PLACE}.xyzw, l(0, ${r.below(2)}, ${r.below(2)}, 0)`)
    if (r.chance(0.1)) w.line(`mov ${PLACE}.yz, l(0, ${r.pick([2, -1])}, 0, 0)`)
    w.line(`mov ${PLACE}.x, ${SELF}.x`)
  }
  const address = n === 4 ? `${PLACE}.xyzw` : `${SELF}.xxxx`
  const kind = r.below(8)
  if (kind < 4) {
    w.line(`store_uav_typed ${uav}.xyzw, ${address}, ${r.chance(0.1) ? w.literal() : `${w.value()}.${w.swizzle()}`}`)
  } else if (kind < 7) {
    const feedback = hasFeedback(w)
    const to = target(w, feedback)
    w.line(`ld_uav_typed${feedback ? '_s' : ''} ${to}, ${address}, ${uav}.${w.swizzle()}`)
    status(w, feedback, to)
  } else if (n === 4) {
    w.line(`resinfo${r.pick(['', '_uint'])} ${w.value()}.${w.mask()}, l(${r.below(2)}), ${uav}.${w.swizzle()}`)
  } else w.line(`bufinfo ${w.value()}.${w.mask()}, ${uav}.${w.swizzle()}`)
}

type Emit = (w: Writer, t: TexturePlan) => void

function chosen(w: Writer, t: TexturePlan): Emit {
  const { r, plan } = w
  const kind = r.below(12)
  if (plan.emphasis === 'texels' && isMultisample(t.dimension) && kind < 4) return query
  if (kind < 2 && (plan.uavs.has(3) || plan.uavs.has(4))) return own
  if (kind < 3) return typedBuffer
  if (kind < 4) return query
  const isPlain = !isMultisample(t.dimension)
  const gathers = isCube(t.dimension) || (isPlain && bare(t.dimension).startsWith('texture2d'))
  if (kind < 8 && gathers && plan.model !== '4_0') return gather
  if (kind < 10 && isPlain && !isInteger(t.returned)) return sample
  return isCube(t.dimension) ? query : load
}

export function emitTexel(w: Writer): void {
  const t = w.r.pick(w.plan.textures)
  chosen(w, t)(w, t)
}

/** Rows of texels that `emitTexel` makes. */
const isOfTexels = ({ traits }: InstructionRow): boolean =>
  traits.kind === 'gather' ||
  traits.kind === 'query' ||
  (traits.kind === 'sample' && traits.lod !== 'derivatives' && traits.lod !== 'bias') ||
  (traits.kind === 'load' && (traits.addressing === 'typed' || traits.multisample))

/** A mnemonic without what the text adds to it. */
const mnemonicOf = (line: string): string =>
  /^\w*/.exec(line)![0].replace(/_(aoffimmi|indexable|sat|uint|rcpfloat)/g, '')

/** Attempts at what is missing; what comes by chance and is there already is taken back. */
const ATTEMPTS = 300

/** The instructions of texels that the plan prefers and the program has none of, as far as its resources allow. */
export function emitMissingTexels(w: Writer): void {
  const made = new Set(w.lines.map(mnemonicOf))
  const missing = new Set(w.plan.preferred.filter(isOfTexels).map((row) => row.mnemonic))
  for (const name of made) missing.delete(name)
  for (let n = 0; n < ATTEMPTS && missing.size > 0; n++) {
    const before = w.lines.length
    emitTexel(w)
    const found = w.lines.slice(before).map(mnemonicOf)
    if (!found.some((name) => missing.has(name))) w.lines.length = before
    for (const name of found) missing.delete(name)
  }
}
