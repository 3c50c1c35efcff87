/** What the comments of a text say of signatures where a base gives them: rows that are not taken are reported by `assemble`. */
import { type Diagnostic, diagnostic } from '../diagnostic/index.ts'
import {
  type DxbcContainer,
  decodeSignature,
  findChunk,
  isSignatureFourcc,
  NO_REGISTER,
  type SignatureElement,
} from '../dxbc/index.ts'
import type { HeaderFacts } from './header/index.ts'
import { readListingHeader } from './parse/header.ts'

const CHUNKS = {
  Input: ['ISGN', 'ISG1'],
  Output: ['OSGN', 'OSG5', 'OSG1'],
  'Patch Constant': ['PCSG', 'PSG1'],
} as const

/** `TEXCOORD1 in register 2, .xy`: what of an element decides whether a program can use it. */
function elementText({ name, semanticIndex, register, mask, stream }: SignatureElement): string {
  const components = Array.from('xyzw', (letter, i) => ((mask >> i) & 1 ? letter : '')).join('')
  const place = register === NO_REGISTER ? 'in no register' : `in register ${register}, .${components}`
  return `${name}${semanticIndex} ${place}${(stream ?? 0) === 0 ? '' : `, stream ${stream}`}`
}

function elementsOf(base: DxbcContainer, fourccs: readonly string[]): readonly SignatureElement[] {
  const chunk = findChunk(base, ...fourccs)
  if (chunk === undefined || !isSignatureFourcc(chunk.fourcc)) return []
  return decodeSignature(chunk.data, chunk.fourcc).value?.elements ?? []
}

/** Rows that one warning names. */
const MAX_NAMED = 4

/** A warning for each signature whose table in the comments has rows that the base does not have. */
export function rowsBesideBase(text: string, stage: HeaderFacts['stage'], base: DxbcContainer): Diagnostic[] {
  const { signatures } = readListingHeader(text, stage, () => {})
  return (['Input', 'Output', 'Patch Constant'] as const).flatMap((role) => {
    const known = new Set(elementsOf(base, CHUNKS[role]).map(elementText))
    const rows = (signatures[role] ?? []).map(elementText).filter((row) => !known.has(row))
    if (rows.length === 0) return []
    const more = rows.length > MAX_NAMED ? ` and ${rows.length - MAX_NAMED} more` : ''
    const named = `${rows.slice(0, MAX_NAMED).join('; ')}${more}`
    const message = `the comments have rows of the ${role} signature that the base does not have, and they are not taken: ${named}`
    const notes = ['with a base the signatures are those of the base; without --base they come from the comments']
    return [diagnostic('asm-base-signature', message, undefined, notes)]
  })
}
