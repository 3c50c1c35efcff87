/** Places of values as people read them: registers as the listing writes them. */
import { numberedRegisterText } from '../asm/index.ts'
import { FILE } from '../isa/index.ts'
import type { MemoryAddress, SourceValue, SourceVariable, WordPlace } from './model.ts'
import { childrenOf, wordsOf } from './value.ts'

const COMPONENTS = 'xyzw'

/** Words of one value that are written out; longer ones end with dots. */
const MOST_WORDS = 64

function addressText(address: MemoryAddress): string {
  switch (address.kind) {
    case 'bytes':
      return `+${address.byteOffset}`
    case 'structured':
      return `[${address.element}]+${address.byteOffset}`
    case 'texel':
      return `[${address.coordinates.join(', ')}].${COMPONENTS[address.component] ?? address.component}`
  }
}

const HEX_DIGITS = 8

/** `r3.x`, `cb0[2].y`, `g1+12`, `vThreadID.x`, `l(0x3f800000)`. */
export function placeText(place: WordPlace): string {
  switch (place.kind) {
    case 'register':
      return `${numberedRegisterText(FILE[place.file], place.indices)}.${COMPONENTS[place.component] ?? ''}`
    case 'memory':
      return numberedRegisterText(FILE[place.file], place.indices) + addressText(place.address)
    case 'literal':
      return `l(0x${(place.bits >>> 0).toString(16).padStart(HEX_DIGITS, '0')})`
  }
}

function leafWords(value: SourceValue, out: (WordPlace | undefined)[]): void {
  if (out.length > MOST_WORDS) return
  if ('scalar' in value.type) {
    for (const word of wordsOf(value)) out.push(word)
    return
  }
  if (value.type.kind === 'object') return
  for (const child of childrenOf(value, 0, MOST_WORDS)) leafWords(child, out)
}

/** The register of a text, and its components. */
function split(text: string): readonly [register: string, components: string] {
  const at = text.lastIndexOf('.')
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

/**
 * Where a value is: components of one register together (`r0.xyz`), others one after the other, `-` for what is not
 * available. Empty where nothing of it is.
 */
export function placesText(value: SourceValue): string {
  const words: (WordPlace | undefined)[] = []
  leafWords(value, words)
  if (words.every((w) => w === undefined)) return ''
  const parts: string[] = []
  for (const word of words.slice(0, MOST_WORDS)) {
    const text = word === undefined ? '-' : placeText(word)
    const [register, component] = split(text)
    const [last = '', sofar = ''] = split(parts.at(-1) ?? '')
    const joins = word?.kind === 'register' && component !== '' && last === register && sofar.length < COMPONENTS.length
    if (joins) parts[parts.length - 1] += component
    else if (text !== '-' || parts.at(-1) !== '-') parts.push(text)
  }
  return parts.join(', ') + (words.length > MOST_WORDS ? ', ...' : '')
}

/** Where a variable is as a whole: the beginning of its memory or constants, else the places of its words. */
export function homeText({ home, binding, ...value }: SourceVariable): string {
  if (binding !== undefined) return numberedRegisterText(FILE[binding.file], binding.indices)
  if (home.kind === 'memory') return numberedRegisterText(FILE[home.file], home.indices)
  return placesText({ ...value, home })
}
