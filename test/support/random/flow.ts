import { emitAtomic, emitExchange, emitMemory, emitStore, FENCES } from './memory.ts'
import { emitOfStage } from './stage-statements.ts'
import { emitTexel } from './texels.ts'
import { emitFragment, emitTest, emitValue } from './values.ts'
import {
  BODIES,
  MAX_DEPTH,
  OWN_BYTES,
  type Place,
  placeOfBody,
  SCRATCH,
  SUBROUTINES,
  VALUES,
  type Writer,
} from './writer.ts'

const deeper = (p: Place): Place => ({ ...p, depth: p.depth + 1 })
/** Where some lanes alone may be. */
const apart = (p: Place): Place => ({ ...deeper(p), together: false })

/** A few statements; now and then none at all. */
export function emitBlock(w: Writer, place: Place): void {
  const count = w.r.chance(0.06) ? 0 : 1 + w.r.below(5)
  for (let i = 0; i < count && w.left > 0; i++) emitStatement(w, place)
}

function emitIf(w: Writer, place: Place): void {
  // In pixel shaders all lanes stay together now and then, so that differences between them may stand inside.
  const isUniform = place.together && w.plan.stage === 'pixel' && w.r.chance(0.5)
  const { suffix, operand } = isUniform ? { suffix: '_nz', operand: emitUniformTest(w) } : emitTest(w)
  const inside = isUniform ? deeper(place) : apart(place)
  w.line(`if${suffix} ${operand}`)
  emitBlock(w, inside)
  if (w.r.chance(0.5)) {
    w.line('else')
    emitBlock(w, inside)
  }
  w.line('endif')
}

/** A jump that some threads take: conditional by itself, or inside an `if`. */
function emitJump(w: Writer, jump: 'break' | 'continue' | 'ret'): void {
  const { suffix, operand } = emitTest(w)
  if (w.r.chance(0.5)) {
    w.line(`${jump}c${suffix} ${operand}`)
    return
  }
  w.line(`if${suffix} ${operand}`)
  if (w.r.chance(0.5)) emitValue(w)
  w.line(jump)
  w.line('endif')
}

/** Limits of a loop: the same for all threads, or each thread's own, so that they leave one by one. */
function emitLimit(w: Writer, counter: string): string {
  if (w.r.chance(0.6)) return `l(${1 + w.r.below(4)})`
  w.line(`and ${counter}.y, ${w.one()}, l(7)`)
  return `${counter}.y`
}

function emitLoop(w: Writer, place: Place): void {
  const counter = `r${place.counters + place.loops}`
  // Counted at its head, a loop can be continued anywhere; at its foot it runs once at least.
  const atHead = w.r.chance(0.7)
  const isUniform = place.together && w.plan.stage === 'pixel' && w.r.chance(0.5)
  const inside: Place = {
    ...(isUniform ? deeper(place) : apart(place)),
    loops: place.loops + 1,
    breaks: !isUniform,
    continues: atHead && !isUniform,
    once: false,
  }
  const limit = isUniform ? `l(${1 + w.r.below(4)})` : emitLimit(w, counter)
  const count = (): void => {
    w.line(`iadd ${counter}.x, ${counter}.x, l(1)`)
    w.line(`ult ${counter}.z, ${limit}, ${counter}.x`)
    w.line(`breakc_nz ${counter}.z`)
  }
  w.line(`mov ${counter}.x, l(0)`)
  w.line('loop')
  if (atHead) count()
  emitBlock(w, inside)
  if (w.r.chance(0.5) && !isUniform) {
    emitJump(w, atHead && w.r.chance(0.4) ? 'continue' : 'break')
    emitBlock(w, inside)
  }
  if (!atHead) count()
  w.line('endloop')
}

function emitSwitch(w: Writer, place: Place): void {
  const { r } = w
  const inside = { ...apart(place), breaks: true }
  w.line(`and ${SCRATCH}.y, ${w.one()}, l(3)`)
  w.line(`switch ${SCRATCH}.y`)
  const cases = 1 + r.below(3)
  const first = r.below(2)
  const fallback = r.chance(0.6) ? r.below(cases + 1) : -1
  for (let c = 0; c <= cases; c++) {
    if (c === fallback) {
      w.line('default')
      emitBlock(w, inside)
      w.line('break')
    }
    if (c === cases) break
    w.line(`case l(${c + first})`)
    if (r.chance(0.2) && c + 1 < cases) continue
    emitBlock(w, inside)
    if (r.chance(0.3)) {
      emitJump(w, 'break')
      emitBlock(w, inside)
    }
    w.line('break')
  }
  w.line('endswitch')
}

function emitCall(w: Writer, place: Place): boolean {
  const { r, plan } = w
  if (!w.mayCall) return false
  if (plan.interfaces && r.chance(0.5) && place.callable === 0) {
    const site = r.below(2)
    if (r.chance(0.4)) w.line(`fcall fp2[0][${site}]`)
    else if (r.chance(0.5)) w.line(`fcall fp0[${r.below(2)}][${site}]`)
    else {
      w.line(`and ${SCRATCH}.w, ${r.chance(0.5) && w.inputs === undefined ? 'vThreadGroupID.x' : w.one()}, l(1)`)
      w.line(`fcall fp0[${SCRATCH}.w + 0][${site}]`)
    }
    return true
  }
  if (!plan.calls || place.callable >= SUBROUTINES) return false
  const label = `label${place.callable + r.below(SUBROUTINES - place.callable)}`
  if (r.chance(0.5)) w.line(`call ${label}`)
  else {
    const { suffix, operand } = emitTest(w)
    w.line(`callc${suffix} ${operand}, ${label}`)
  }
  return true
}

function emitFlow(w: Writer, place: Place): void {
  const { r } = w
  const kind = r.below(10)
  if (place.depth < MAX_DEPTH && kind < 6) {
    if (kind < 3) emitIf(w, place)
    else if (kind < 5 && place.loops < (place.callable === 0 ? 3 : 1) && place.depth < 3) emitLoop(w, place)
    else emitSwitch(w, place)
    return
  }
  if (kind === 6 && place.breaks) emitJump(w, 'break')
  else if (kind === 7 && place.continues) emitJump(w, 'continue')
  else if (kind === 8 && place.returns && r.chance(w.plan.emphasis === 'flow' ? 1 : 0.3)) emitJump(w, 'ret')
  else if (!emitCall(w, place)) emitValue(w)
}

export function emitStatement(w: Writer, place: Place): void {
  const { r, plan } = w
  w.left--
  const isOld = plan.model.startsWith('4')
  if (w.inputs !== undefined && emitOfStage(w, place)) return
  if (emitEmphasized(w, place, isOld)) return
  const kind = r.below(20)
  if (plan.flow && kind < 6) emitFlow(w, place)
  else if (plan.memory && kind === 6) emitMemory(w, isOld)
  else if (plan.memory && kind === 7 && !isOld && plan.writes) emitAtomic(w, place)
  else if (plan.memory && kind === 8 && plan.writes) emitStore(w, 16 * r.below(OWN_BYTES / 16), r.below(VALUES))
  else if (plan.texels && kind > 8 && kind < 16) emitTexel(w)
  else if (plan.floats && kind > 15 && kind < 18 && r.chance(0.5)) emitFragment(w)
  else if (plan.memory && kind === 18 && r.chance(plan.emphasis === undefined ? 0.1 : 0.4)) w.line(r.pick(FENCES))
  else if (kind === 18 && r.chance(0.05)) w.line('nop')
  else emitValue(w)
}

/** Half of the statements, where the plan emphasizes a kind; false for the others. */
function emitEmphasized(w: Writer, place: Place, isOld: boolean): boolean {
  const { r, plan } = w
  if (plan.emphasis === undefined || !r.chance(0.5)) return false
  if (r.chance(0.04)) w.line('nop')
  else if (plan.emphasis === 'flow') {
    if (r.chance(0.3) && emitCall(w, place)) return true
    emitFlow(w, place)
  } else if (plan.emphasis === 'texels' && plan.texels) emitTexel(w)
  else if (plan.emphasis === 'memory' && !isOld) {
    if (plan.writes && r.chance(0.7)) emitAtomic(w, place)
    else emitMemory(w, isOld)
  } else if (plan.emphasis === 'values') emitValue(w)
  else return false
  return true
}

/** A condition that is the same in all threads of a group. */
function emitUniformTest(w: Writer): string {
  const { r } = w
  if (r.chance(0.5) && w.inputs === undefined) w.line(`and ${SCRATCH}.x, vThreadGroupID.x, l(1)`)
  else
    w.line(
      `and ${SCRATCH}.x, ${w.constants(0, String(r.below(4)))}.${r.pick(['x', 'y', 'z', 'w'])}, l(${r.pick([1, 3, 4])})`,
    )
  return `${SCRATCH}.x`
}

/** A barrier, alone or in flow that all threads of the group take alike. */
export function emitBarrier(w: Writer, place: Place): void {
  const { r } = w
  // A thread that has returned does not come to a barrier.
  const inside = { ...place, returns: false }
  const kind = r.below(5)
  if (kind < 2) {
    emitExchange(w)
    return
  }
  if (kind === 2) {
    w.line(`if${r.pick(['_z', '_nz'])} ${emitUniformTest(w)}`)
    emitBlock(w, deeper(inside))
    emitExchange(w)
    if (r.chance(0.5)) {
      w.line('else')
      emitExchange(w)
    }
    w.line('endif')
    return
  }
  const counter = `r${place.counters + place.loops}`
  const within = { ...deeper(inside), loops: place.loops + 1, once: false }
  w.line(`mov ${counter}.x, l(0)`)
  let limit = `l(${r.below(3)})`
  if (r.chance(0.4)) {
    w.line(`and ${counter}.y, vThreadGroupID.x, l(1)`)
    limit = `${counter}.y`
  }
  w.line('loop')
  w.line(`ult ${SCRATCH}.y, ${limit}, ${counter}.x`)
  w.line(`breakc_nz ${SCRATCH}.y`)
  emitBlock(w, within)
  emitExchange(w)
  emitBlock(w, within)
  w.line(`iadd ${counter}.x, ${counter}.x, l(1)`)
  w.line('endloop')
}

/** Bodies of subroutines and methods, after the main program. A subroutine calls those after it alone. */
export function emitBodies(w: Writer): void {
  const one = (label: string, n: number, callable: number): void => {
    w.line(`label ${label}`)
    w.left = 2 + w.r.below(6)
    emitBlock(w, placeOfBody(n, callable))
    w.line('ret')
  }
  if (w.plan.calls) for (let n = 0; n < SUBROUTINES; n++) one(`label${n}`, n, n + 1)
  if (!w.plan.interfaces) return
  for (let n = 0; n < BODIES; n++) {
    one(`fb${n}`, SUBROUTINES + n, SUBROUTINES)
    // What the class instance holds: this[] has the constant buffer and where its members begin (22.7.20).
    const last = w.lines.pop()!
    w.line(`mov ${SCRATCH}.yz, this[${w.r.below(3)}].yyxy`)
    w.line(`iadd r${w.r.below(VALUES)}.${w.mask()}, r0.xyzw, cb[${SCRATCH}.z + 0][${SCRATCH}.y + 0].xyzw`)
    w.line(last)
  }
}
