import { INSTRUCTIONS } from '../../../src/isa/index.ts'
import type { TexturePlan } from './plan.ts'
import { form, hasFeedback, isInteger, isMultisample, reference, sampleAddress, status, target } from './texels.ts'
import { emitTest } from './values.ts'
import type { Place, Writer } from './writer.ts'

/** Statements that only graphics stages have, and stores to their outputs. */

const DERIVATIVES = INSTRUCTIONS.filter((row) => row.traits.kind === 'derivative')

function derivative(w: Writer): void {
  const isOld = w.plan.model.startsWith('4')
  const row = w.r.pick(DERIVATIVES.filter((d) => !isOld || d.since.major === 4))
  const operands = row.operands.map((slot) =>
    slot.role === 'dest' ? w.destination(slot, w.mask()) : w.source({ ...slot, modifiers: slot.modifiers }),
  )
  w.line(`${row.mnemonic} ${operands.join(', ')}`)
}

/** Samples whose level comes from the differences of coordinates in a quad. */
function implicitSample(w: Writer, t: TexturePlan): void {
  const { r } = w
  const isOld = w.plan.model.startsWith('4')
  const feedback = hasFeedback(w)
  const address = sampleAddress(w)
  const texture = `${w.slot('t', t.register)}.${w.swizzle()}`
  const kind = r.below(4)
  if (kind === 0 && (w.plan.model !== '4_0' || !isOld)) {
    w.line(`lod ${w.value()}.${w.mask()}, ${address}, ${texture}, ${w.slot('s', 0)}`)
    return
  }
  const to = target(w, feedback)
  const clamp = feedback ? `, ${r.chance(0.5) ? 'l(0.5)' : w.one()}` : ''
  const mark = feedback ? '_cl_s' : ''
  const compares = kind === 1 && t.returned !== 'snorm' && t.dimension !== 'texture3d'
  if (compares) {
    const name = form(w, `sample_c${mark}`, t, true)
    w.line(`${name} ${to}, ${address}, ${texture}, ${w.slot('s', 1)}, ${reference(w)}${clamp}`)
  } else if (kind === 2) {
    const bias = r.chance(0.5) ? `l(${r.pick(['0.0', '0.5', '-1.0', '2.5'])})` : w.one()
    w.line(`${form(w, `sample_b${mark}`, t, true)} ${to}, ${address}, ${texture}, ${w.slot('s', 0)}, ${bias}${clamp}`)
  } else {
    const name = form(w, `sample${mark}`, t, true)
    w.line(`${name}${r.chance(0.2) ? '_sat' : ''} ${to}, ${address}, ${texture}, ${w.slot('s', 0)}${clamp}`)
  }
  status(w, feedback, to)
}

function rasterizer(w: Writer): void {
  const to = `${w.value()}.${w.mask()}`
  if (w.r.chance(0.4)) w.line(`sampleinfo${w.r.pick(['', '_uint'])} ${to}, rasterizer.${w.swizzle()}`)
  else w.line(`samplepos ${to}, rasterizer.${w.swizzle()}, ${w.r.chance(0.6) ? `l(${w.r.below(6)})` : w.one()}`)
}

/** Attributes at other places than the declared one: of inputs that are floats. */
function evaluation(w: Writer): void {
  const to = `${w.value()}.${w.mask()}`
  const from = `v${1 + w.r.below(2)}.${w.swizzle()}`
  const kind = w.r.below(3)
  if (kind === 0) w.line(`eval_centroid ${to}, ${from}`)
  else if (kind === 1) w.line(`eval_sample_index ${to}, ${from}, ${w.r.chance(0.5) ? `l(${w.r.below(5)})` : w.one()}`)
  else w.line(`eval_snapped ${to}, ${from}, ${w.r.chance(0.5) ? 'l(7, -8, 0, 0)' : `${w.value()}.${w.swizzle()}`}`)
}

function discard(w: Writer): void {
  const { suffix, operand } = emitTest(w)
  w.line(`discard${suffix} ${operand}`)
}

/** A word of a value to an output: the whole register, some of its components, or what has none. */
export function emitOutput(w: Writer, n = w.r.below(w.outputs.length)): void {
  const { name, letters } = w.outputs[n]!
  const text = name(w)
  if (letters === '') {
    if (w.r.chance(0.5)) w.line(`mov ${text}, ${w.one()}`)
    else w.line(`${w.r.pick(['max', 'add', 'iadd', 'xor'])} ${text}, ${w.one()}, ${w.one()}`)
    return
  }
  const some = [...letters].filter(() => w.r.chance(0.7)).join('')
  w.line(`mov ${text}.${some === '' ? letters : some}, ${w.value()}.${w.swizzle()}`)
}

function stream(w: Writer): void {
  const { r } = w
  const action = r.pick(['emit', 'emit', 'emit', 'cut', 'emit_then_cut'])
  if (w.position !== undefined)
    w.line(`add o0.xyzw, ${w.position}.xyzw, l(${(r.below(9) - 4) / 8}, ${(r.below(9) - 4) / 8}, 0.0, 0.0)`)
  if (w.plan.model.startsWith('4')) w.line(action)
  else w.line(`${action}_stream m${r.below(w.streams)}`)
}

function ofPixel(w: Writer, place: Place): boolean {
  const { r, plan } = w
  const kind = r.below(40)
  // Where pixels of a quad may be apart, differences between them are undefined, and no engine needs to compile them.
  const isWhole = place.together || r.chance(0.002)
  const flat = plan.textures.filter((t) => !isMultisample(t.dimension) && !isInteger(t.returned))
  if (kind < 6 && isWhole) derivative(w)
  else if (kind < 12 && isWhole && flat.length > 0) implicitSample(w, r.pick(flat))
  else if (kind === 12 && (!w.isLinked || r.chance(0.3))) discard(w)
  else if (kind === 13 && plan.model !== '4_0') rasterizer(w)
  else if (kind < 16 && plan.seed % 23 === 5 && plan.model.startsWith('5')) evaluation(w)
  else if (kind > 36) emitOutput(w)
  else return false
  return true
}

/** A statement of the stage, now and then; false where there is none. */
export function emitOfStage(w: Writer, place: Place): boolean {
  if (w.outputs.length === 0) return false
  if (w.plan.stage === 'pixel') return ofPixel(w, place)
  if (w.plan.stage === 'geometry' && w.r.chance(0.15)) {
    stream(w)
    return true
  }
  if (!w.r.chance(0.08)) return false
  emitOutput(w)
  return true
}
