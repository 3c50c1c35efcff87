/** The letters behind a register, and what fxc encodes where there are none. */
import * as I from '../../isa/index.ts'
import * as P from '../../program/index.ts'
import type { OperandContext, OperandPlace } from './operand-context.ts'
import { CODE, isLetterCode, type Source } from './source.ts'

const FULL_MASK = 0xf
const IDENTITY_SWIZZLE = 0xe4
/** The component that a swizzle repeats: component times this. */
const REPLICATE = 0x55

/** How an operand chooses components. */
interface Choice {
  readonly components: number
  readonly mode: number
  readonly selection: number
}

const choice = (components: number, mode: number, selection: number): Choice => ({ components, mode, selection })

const NO_COMPONENTS = choice(P.COMPONENTS_0, 0, 0)
const ONE_COMPONENT = choice(P.COMPONENTS_1, 0, 0)
const EMPTY_MASK = choice(P.COMPONENTS_4, P.SELECT_MASK, 0)
const MASKS: readonly Choice[] = Array.from({ length: 16 }, (_, mask) => choice(P.COMPONENTS_4, P.SELECT_MASK, mask))
const SWIZZLES: readonly Choice[] = Array.from({ length: 256 }, (_, s) => choice(P.COMPONENTS_4, P.SELECT_SWIZZLE, s))
const SELECTS: readonly Choice[] = Array.from({ length: 4 }, (_, n) => choice(P.COMPONENTS_4, P.SELECT_ONE, n))

/** The number of a component letter, -1 for other characters. */
function componentOf(code: number): number {
  return code >= 0x78 && code <= 0x7a ? code - 0x78 : code === 0x77 ? 3 : -1
}

function readMask(s: Source): Choice {
  const start = s.position
  let mask = 0
  for (let component = componentOf(s.peek()); component >= 0; component = componentOf(s.peek())) {
    if (1 << component <= mask) {
      const message = 'a write mask names components in the order xyzw, each once'
      return failLetters(s, message, start, s.wordEnd(), true)
    }
    mask |= 1 << component
    s.position++
  }
  if (isLetterCode(s.peek())) return failComponents(s, start, true)
  return MASKS[mask]!
}

/** Letters as they may stand: colors as components, of a mask in order and each once, at most four. */
function legalLetters(written: string, isMask: boolean): string {
  const letters = written.replace(/[rgba]/g, (c) => 'xyzw'['rgba'.indexOf(c)]!).replace(/[^xyzw]/g, '')
  return isMask ? [...'xyzw'].filter((c) => letters.includes(c)).join('') : letters.slice(0, 4)
}

function failLetters(s: Source, message: string, start: number, end: number, isMask: boolean): never {
  const written = s.text.slice(start, end)
  const legal = legalLetters(written, isMask)
  const fixes = legal === '' || legal === written ? [] : [{ kind: 'replace', texts: [legal] } as const]
  return s.fail('asm-components', message, start, end, [], { fixes })
}

function failComponents(s: Source, start: number, isMask: boolean): never {
  const end = Math.max(s.wordEnd(), start + 1)
  const found = s.text.slice(start, Math.min(end, start + 40))
  const message = `expected up to four of the components x, y, z, w, found '${found}'`
  return failLetters(s, message, start, end, isMask)
}

function readSwizzle(s: Source): Choice {
  const start = s.position
  let swizzle = 0
  let count = 0
  let component = componentOf(s.peek())
  let last = component
  for (; component >= 0 && count < 4; component = componentOf(s.peek())) {
    swizzle |= component << (2 * count++)
    last = component
    s.position++
  }
  if (isLetterCode(s.peek())) return failComponents(s, start, false)
  if (count === 4) return SWIZZLES[swizzle]!
  if (count === 1) return SELECTS[swizzle]!
  if (count === 0) return EMPTY_MASK
  // Two or three letters, which only people write: the last one is repeated.
  const filled = swizzle | ((last * REPLICATE) << (2 * count))
  return SWIZZLES[filled & 0xff]!
}

/** How a register without letters is encoded. */
function bareChoice(file: I.RegisterFile, place: OperandPlace, isSm51: boolean): Choice {
  const count = place.fullView ? undefined : I.BARE_COMPONENTS[file.name]
  // SM5.1 declares ranges of bindings with a full swizzle; constant buffers are declared so everywhere.
  const isRange = place.isDeclared && isSm51 && file.class === 'binding'
  const isConstant = place.isDeclared && file.class === 'constant'
  if (isRange || isConstant) return SWIZZLES[IDENTITY_SWIZZLE]!
  if (place.isDeclared && file.class === 'binding') return NO_COMPONENTS
  if (place.components === 'source' && !place.isDeclared && file.name === 'uav') return SWIZZLES[IDENTITY_SWIZZLE]!
  if (count === undefined) return place.components === 'mask' ? MASKS[FULL_MASK]! : SWIZZLES[IDENTITY_SWIZZLE]!
  return (place.isDeclared ? count.declared : count.used) === 0 ? NO_COMPONENTS : ONE_COMPONENT
}

/** Reads how the operand chooses components, from its letters or from the lack of them. */
export function readChoice(c: OperandContext, file: I.RegisterFile, place: OperandPlace): Choice {
  const s = c.source
  if (s.peek() !== CODE.dot) return bareChoice(file, place, c.isSm51)
  s.position++
  return place.components === 'mask' ? readMask(s) : readSwizzle(s)
}
