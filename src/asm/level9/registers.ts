/** Which of the two program kinds a register name depends on. */
export type Kind9 = 'vs' | 'ps'

/** D3DSHADER_PARAM_REGISTER_TYPE, as far as names are not just a letter. */
const RASTER_OUTPUTS = ['oPos', 'oFog', 'oPts'] as const
const MISCELLANEOUS = ['vPos', 'vFace'] as const
const LETTERS = new Map<number, string>([
  [0, 'r'],
  [1, 'v'],
  [2, 'c'],
  [5, 'oD'],
  [6, 'oT'],
  [7, 'i'],
  [8, 'oC'],
  [10, 's'],
  [14, 'b'],
  [16, 'r'],
  [18, 'l'],
  [19, 'p'],
])
/** The register types that continue the constants from c2048, c4096 and c6144. */
const FAR_CONSTANTS = new Map<number, number>([
  [11, 2048],
  [12, 4096],
  [13, 6144],
])
const ADDRESS_OR_TEXTURE = 3
const RASTER_OUTPUT = 4
const DEPTH = 9
const LOOP_COUNTER = 15
const MISC = 17
export const SAMPLER_9 = 10
export const PREDICATE_9 = 19

/** The register type of a parameter token: three bits at its top, two more at bit 11. */
export function registerType(token: number): number {
  return ((token >>> 28) & 7) | ((token >>> 8) & 0x18)
}

/** The name of a parameter token's register: `r3`, `c12`, `oPos`, `a0` or `t0` after the kind of program. */
export function registerName(token: number, kind: Kind9): string {
  const type = registerType(token)
  const number = token & 0x7ff
  switch (type) {
    case ADDRESS_OR_TEXTURE:
      return `${kind === 'vs' ? 'a' : 't'}${number}`
    case RASTER_OUTPUT:
      return RASTER_OUTPUTS[number] ?? `oRast${number}`
    case DEPTH:
      return 'oDepth'
    case LOOP_COUNTER:
      return 'aL'
    case MISC:
      return MISCELLANEOUS[number] ?? `vMisc${number}`
    default:
      return `${LETTERS.get(type) ?? 'c'}${number + (FAR_CONSTANTS.get(type) ?? 0)}`
  }
}

const COMPONENTS = 'xyzw'

/** `.xy` of a destination; nothing when all four components are written. */
export function writeMask(token: number): string {
  const mask = (token >>> 16) & 15
  if (mask === 15) return ''
  return `.${Array.from(COMPONENTS, (c, i) => ((mask >> i) & 1 ? c : '')).join('')}`
}

/** `.x` or `.yzxw` of a source; nothing for the identity. */
function swizzle(token: number): string {
  const letters = [16, 18, 20, 22].map((shift) => COMPONENTS[(token >>> shift) & 3]!)
  const text = letters.join('')
  if (text === COMPONENTS) return ''
  return letters.every((letter) => letter === letters[0]) ? `.${letters[0]}` : `.${text}`
}

/** By D3DSHADER_PARAM_SRCMOD_TYPE: what stands in front of the register, and after its name. */
const SOURCE_MODIFIERS: readonly (readonly [before: string, after: string])[] = [
  ['', ''],
  ['-', ''],
  ['', '_bias'],
  ['-', '_bias'],
  ['', '_bx2'],
  ['-', '_bx2'],
  ['1-', ''],
  ['', '_x2'],
  ['-', '_x2'],
  ['', '_dz'],
  ['', '_dw'],
  ['', '_abs'],
  ['-', '_abs'],
  ['!', ''],
]

/** A source operand; `relative` is the text of the register that its index is relative to. */
export function sourceText(token: number, kind: Kind9, relative: string | undefined): string {
  const [before, after] = SOURCE_MODIFIERS[(token >>> 24) & 15] ?? ['', '']
  const index = relative === undefined ? '' : `[${relative}]`
  return `${before}${registerName(token, kind)}${after}${index}${swizzle(token)}`
}

/** The modifiers of a result as they follow the instruction's name. */
export function resultModifiers(token: number): string {
  const bits = (token >>> 20) & 15
  return `${bits & 1 ? '_sat' : ''}${bits & 2 ? '_pp' : ''}${bits & 4 ? '_centroid' : ''}`
}
