import type { Facts, Value } from '../../ir/index.ts'
import { V128 } from '../encode/assembler.ts'
import { OP, SIMD } from '../encode/opcodes.ts'
import { pushByteLimit, pushLimit, type Site } from './bounds-check-site.ts'
import type { Assertion } from './emit-settings.ts'
import type { Emitter } from './emitter.ts'
import { STOPPED } from './kernel-layout.ts'
import { pushActive } from './mask.ts'

/**
 * Code that holds values against what the compiler takes for granted about them: facts, patterns of lanes, flushes that are
 * left out, bounds that are not checked. For tests and differential runs (the engine's option `assertions`); what the first
 * claim that fails says ends the dispatch as an internal error.
 */

/** Ends the dispatch with a claim; the stack has whether it fails. */
function leaveIf(e: Emitter, assertion: Assertion): void {
  const number = e.assertions!.push(assertion) - 1
  e.f.if(() => e.leave(STOPPED.assertion, number))
}

/** Ends the dispatch where a mask on the stack holds for an active lane of part `i`. */
function leaveWhereAny(e: Emitter, i: number, assertion: Assertion): void {
  if (e.active !== 'full') {
    pushActive(e, e.active, i)
    e.f.simd(SIMD.and)
  }
  e.f.simd(SIMD.anyTrue)
  leaveIf(e, assertion)
}

const SIZE = 0x7fffffff
const EXPONENT = 0x7f800000
const hex = (n: number): string => `0x${(n >>> 0).toString(16)}`

/** Operations that claims are put in, on lanes or on a scalar. */
interface Words {
  readonly push: () => void
  readonly constant: (n: number) => void
  readonly and: () => void
  readonly equal: () => void
  readonly notEqual: () => void
  readonly greater: () => void
}

/** Pushes whether a claim fails, one for each of what is known of a word. */
function failures(facts: Facts, w: Words): readonly (readonly [claim: string, push: () => void])[] {
  const found: [string, () => void][] = []
  const masked = (bits: number): void => {
    w.push()
    w.constant(bits)
    w.and()
  }
  if (facts.maybe !== 0xffffffff) {
    const clear = ~facts.maybe >>> 0
    found.push([
      `has no bits of ${hex(clear)}`,
      () => {
        masked(clear)
        w.constant(0)
        w.notEqual()
      },
    ])
  }
  if (facts.mask) {
    const differs = (n: number): void => {
      w.push()
      w.constant(n)
      w.notEqual()
    }
    found.push([
      'is all ones or 0',
      () => {
        differs(0)
        differs(0xffffffff)
        w.and()
      },
    ])
  }
  if (facts.flushed) {
    found.push([
      NO_DENORMAL,
      () => {
        masked(EXPONENT)
        w.constant(0)
        w.equal()
        masked(SIZE)
        w.constant(0)
        w.notEqual()
        w.and()
      },
    ])
  }
  if (facts.number) {
    found.push([
      'is no NaN',
      () => {
        masked(SIZE)
        w.constant(EXPONENT)
        w.greater()
      },
    ])
  }
  return found
}

const NO_DENORMAL = 'is no denormal'
const nameOf = (v: Value): string => `${v.op} (value ${v.id})`

/** Asserts what is known of a word that is the same for the wave. */
export function assertScalar(e: Emitter, v: Value): void {
  if (e.assertions === undefined || e.fastPath !== undefined || v.double) return
  const { f } = e
  const words: Words = {
    push: () => e.scalarI(v),
    constant: (n) => void f.i32(n | 0),
    and: () => void f.op(OP.i32And),
    equal: () => void f.op(OP.i32Eq),
    notEqual: () => void f.op(OP.i32Ne),
    greater: () => void f.op(OP.i32GtU),
  }
  for (const [claim, push] of failures(e.facts(v), words)) {
    push()
    leaveIf(e, { statement: v.statement, claim: `${nameOf(v)} ${claim}` })
  }
}

/** Asserts what is known of a word in all lanes, and that the active ones lie apart as their pattern says. */
export function assertLanes(e: Emitter, v: Value): void {
  if (e.assertions === undefined || e.fastPath !== undefined || v.double || !e.isVarying(v)) return
  const { f } = e
  const { pattern } = e.uniformity.of(v)
  for (let i = 0; i < e.width; i++) {
    const words: Words = {
      push: () => e.vector(v, i),
      constant: (n) => e.pushConstant(n >>> 0),
      and: () => void f.simd(SIMD.and),
      equal: () => void f.simd(SIMD.i32Eq),
      notEqual: () => void f.simd(SIMD.i32Ne),
      greater: () => void f.simd(SIMD.i32LeU).simd(SIMD.not),
    }
    for (const [claim, push] of failures(e.facts(v), words)) {
      push()
      // Where an attempt without flushes failed, lanes that are not active may have what it left.
      if (claim === NO_DENORMAL) pushActive(e, e.active, i)
      if (claim === NO_DENORMAL) f.simd(SIMD.and)
      // In lanes that are not active too: they load where nothing looks at bounds.
      f.simd(SIMD.anyTrue)
      leaveIf(e, { statement: v.statement, claim: `${nameOf(v)} ${claim}` })
    }
    if (pattern === undefined) continue
    e.vector(v, i)
    e.laneZero(v)
    f.simd(SIMD.i32Splat)
    f.get(e.constantLocal([...pattern.subarray(i * 4, i * 4 + 4)]))
    f.simd(SIMD.i32Add).simd(SIMD.i32Ne)
    leaveWhereAny(e, i, { statement: v.statement, claim: `${nameOf(v)} differs by lane as ${pattern.join(', ')}` })
  }
}

/** Takes note of active lanes in which a flush that is left out would have changed the word. */
export function noteLeftOut(e: Emitter, v: Value, i: number): void {
  const broken = e.fastPath?.broken
  if (broken === undefined) return
  const { f } = e
  f.get(broken)
  e.vector(v.args[0]!, i)
  e.pushConstant(EXPONENT)
  f.simd(SIMD.and)
  e.pushConstant(0)
  f.simd(SIMD.i32Eq)
  e.vector(v.args[0]!, i)
  e.pushConstant(SIZE)
  f.simd(SIMD.and)
  e.pushConstant(0)
  f.simd(SIMD.i32Ne).simd(SIMD.and)
  pushActive(e, e.active, i)
  f.simd(SIMD.and).simd(SIMD.or).set(broken)
}

/** Asserts, where the checks of an attempt hold, that no flush that was left out would have changed anything. */
export function assertAttempt(e: Emitter, broken: number, statement: number): void {
  e.f.get(broken).simd(SIMD.anyTrue)
  leaveIf(e, { statement, claim: 'where the checks of a range hold, a flush left out meets no denormal' })
}

/** Pushes which lanes of part `i` have a dword out of bounds, by the rules of memory alone. */
function pushOutside(e: Emitter, { address }: Site, i: number, offset: number, dword: number): void {
  const { f } = e
  const end = (): void => void f.simd(SIMD.i32Splat).simd(SIMD.i32LtU).simd(SIMD.not)
  const { index, stride, space } = address
  if (index !== undefined) {
    e.vector(index, i)
    pushLimit(e, address)
    end()
  }
  if (index !== undefined && space.kind !== 'tgsm') {
    // Of a structure: from dword 0 up to the one named, none wraps past its end.
    f.get(offset)
    f.i32(stride - 4 * dword)
    end()
    f.simd(SIMD.or)
    if (stride >= 4 * dword + 4) return
    e.pushConstant(0xffffffff)
    f.simd(SIMD.or)
    return
  }
  f.get(offset)
  pushByteLimit(e, address)
  end()
  if (index !== undefined) f.simd(SIMD.or)
  f.get(offset)
  e.pushConstant(4 * dword)
  f.simd(SIMD.i32Add)
  if (index !== undefined) {
    e.vector(index, i)
    e.pushConstant(stride)
    f.simd(SIMD.i32Mul).simd(SIMD.i32Add)
  }
  pushByteLimit(e, address)
  end()
  f.simd(SIMD.or)
}

/** Asserts that every active lane is in bounds with all dwords it touches, where code goes on without looking. */
export function assertInside(e: Emitter, site: Site): void {
  const { address, item } = site
  if (e.assertions === undefined || e.fastPath !== undefined || address.valid !== undefined) return
  const { f } = e
  const offset = f.local(V128)
  const { statement } = item
  for (let i = 0; i < e.width; i++) {
    e.vector(address.offset, i)
    e.pushConstant(~3 >>> 0)
    f.simd(SIMD.and).set(offset)
    for (const dword of new Set(site.components)) {
      pushOutside(e, site, i, offset, dword)
      leaveWhereAny(e, i, { statement, claim: `dword ${dword} of the ${item.kind} is in bounds` })
    }
  }
}
