import {
  type Control,
  controlOf,
  type InstructionRow,
  PRECISE,
  RESINFO_RETURN,
  RESOURCE_DIMENSION,
  RETURN_TYPE,
  SAMPLEINFO_RETURN,
  SATURATE,
  SYNC,
  TEST,
  wordOf,
} from '../../isa/index.ts'
import type { ExtendedOpcode, Instruction } from '../../program/index.ts'
import {
  INDEXABLE_SUFFIX,
  OFFSET_SUFFIX,
  PRECISE_WORD,
  RESINFO_SUFFIX,
  SAMPLEINFO_SUFFIX,
  SATURATE_SUFFIX,
  syncSuffix,
  TEST_SUFFIX,
} from '../text/head-text.ts'
import { MASK_LETTERS } from '../text/operand-text.ts'
import type { Context, Style } from './context.ts'

/** Heads kept per style; a shader that strains this is no shader. */
const MAX_HEADS = 4096

const dimensionWord = (n: number): string => wordOf(RESOURCE_DIMENSION, n)

/** `(float,float,float,float)` of four 4-bit numbers of return types. */
export function returnTypesText(returnTypes: number): string {
  const word = (component: number): string => wordOf(RETURN_TYPE, (returnTypes >> (4 * component)) & 15)
  return `(${word(0)},${word(1)},${word(2)},${word(3)})`
}

const ALL_PRECISE = 15

function preciseText(controls: number): string {
  const mask = controlOf(controls, PRECISE)
  if (mask === 0) return ''
  return mask === ALL_PRECISE ? ` [${PRECISE_WORD}]` : ` [${PRECISE_WORD}(${MASK_LETTERS[mask]})]`
}

const has = (row: InstructionRow, control: Control): boolean => row.controls.includes(control)

/** `_uint` and the like, by the instruction's own return-type control. */
function queryReturnText(row: InstructionRow, controls: number): string {
  if (has(row, RESINFO_RETURN)) return RESINFO_SUFFIX[controlOf(controls, RESINFO_RETURN)] ?? ''
  if (has(row, SAMPLEINFO_RETURN)) return SAMPLEINFO_SUFFIX[controlOf(controls, SAMPLEINFO_RETURN)] ?? ''
  return ''
}

/** `(texture2d)(float,float,float,float)`: the view that an instruction accesses, as its form with `_indexable` names it. */
export const viewText = (dimension: number, stride: number, returnTypes: number): string =>
  dimensionText(dimension, stride) + returnTypesText(returnTypes)

interface ExtendedText {
  readonly suffixes: string
  readonly offset: string
  readonly dimension: string
  readonly returnTypes: string
}

function dimensionText(dimension: number, stride: number): string {
  return stride === 0 ? `(${dimensionWord(dimension)})` : `(${dimensionWord(dimension)}, stride=${stride})`
}

function extendedText(extended: readonly ExtendedOpcode[]): ExtendedText {
  let isIndexable = false
  let offset = ''
  let dimension = ''
  let returnTypes = ''
  for (const e of extended) {
    if (e.kind === 'sample-offset') offset = `(${e.u},${e.v},${e.w})`
    else if (e.kind === 'resource-return-type') returnTypes = returnTypesText(e.returnTypes)
    else if (e.kind === 'resource-dimension') {
      isIndexable = true
      dimension = dimensionText(e.dimension, e.stride)
    }
  }
  const suffixes = (offset === '' ? '' : OFFSET_SUFFIX) + (isIndexable ? INDEXABLE_SUFFIX : '')
  return { suffixes, offset, dimension, returnTypes }
}

const NO_EXTENDED_TEXT: ExtendedText = { suffixes: '', offset: '', dimension: '', returnTypes: '' }

function buildHead(style: Style, row: InstructionRow, controls: number, extended: ExtendedText): string {
  const { nameBegin, nameEnd } = style.colors
  const isSync = has(row, SYNC)
  const saturate = controlOf(controls, SATURATE) === 1 ? SATURATE_SUFFIX : ''
  const name = row.mnemonic + saturate + (isSync ? syncSuffix(controlOf(controls, SYNC)) : '') + extended.suffixes
  const tail =
    preciseText(controls) + extended.offset + extended.dimension + extended.returnTypes + queryReturnText(row, controls)
  if (isSync) return nameBegin + name + nameEnd + tail
  if (!has(row, TEST)) return `${nameBegin}${name}${nameEnd}${tail} `
  // The test and the blank behind it are one colored word of their own (cs/nesting.list-cc).
  return `${nameBegin}${name}${nameEnd}${nameBegin}${TEST_SUFFIX[controlOf(controls, TEST)]}${tail} ${nameEnd}`
}

/** Everything before the operands, with the blank that ends it. The saturate and precise bits show on any instruction. */
export function headText(c: Context, row: InstructionRow, i: Instruction): string {
  if (i.extended.length > 0) return buildHead(c.style, row, i.controls, extendedText(i.extended))
  const { heads } = c.style
  const key = i.opcode | i.controls
  const known = heads.get(key)
  if (known !== undefined) return known
  const head = buildHead(c.style, row, i.controls, NO_EXTENDED_TEXT)
  if (heads.size < MAX_HEADS) heads.set(key, head)
  return head
}
