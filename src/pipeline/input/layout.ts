import { DiagnosticCollector, diagnostic, type Outcome } from '../../diagnostic/index.ts'
import { type Format, findFormat } from '../../isa/formats/index.ts'
import { type SignatureRegister, sameSemantic } from '../shader.ts'
import type { InputElement } from '../state.ts'

/** An input layout: where the registers of a vertex shader find their data in vertex buffers (8.4, 8.19). */

export const MAX_INPUT_SLOTS = 32
const MAX_ELEMENTS = 32

export interface LayoutElement {
  readonly semanticName: string
  readonly semanticIndex: number
  readonly format: Format
  readonly slot: number
  readonly byteOffset: number
  readonly perInstance: boolean
  readonly stepRate: number
  /** Input registers that read it; none where the shader does not. */
  readonly registers: readonly { readonly register: number; readonly mask: number }[]
}

export interface InputLayout {
  readonly elements: readonly LayoutElement[]
}

const APPEND = 0xffffffff

/** Alignment of an element: its size rounded up to a power of two, 4 at most (4.4.6). */
function alignmentOf(format: Format): number {
  const size = format.blockByteLength
  return size >= 4 || size === 3 ? 4 : size
}

const place = (index: number, field: string) => ({ kind: 'path', path: `inputLayout[${index}].${field}` }) as const

function checkElement(e: InputElement, i: number, found: DiagnosticCollector): Format | undefined {
  const format = findFormat(e.format)
  if (format === undefined || format.layout !== 'linear' || format.typeless || format.depthStencil) {
    const text = `${JSON.stringify(e.format)} is no format that vertex data can have`
    found.push(diagnostic('pipeline-input-layout', text, place(i, 'format')))
    return undefined
  }
  const slot = e.inputSlot ?? 0
  if (!(Number.isInteger(slot) && slot >= 0 && slot < MAX_INPUT_SLOTS)) {
    const text = `the slot is ${slot}; slots are 0 to ${MAX_INPUT_SLOTS - 1}`
    found.push(diagnostic('pipeline-input-layout', text, place(i, 'inputSlot')))
    return undefined
  }
  return format
}

/** Matches elements with the inputs of a vertex shader. Every input that is no system value must have an element. */
export function createInputLayout(
  elements: readonly InputElement[],
  inputs: readonly SignatureRegister[],
): Outcome<InputLayout> {
  const found = new DiagnosticCollector()
  if (elements.length > MAX_ELEMENTS) {
    found.push(
      diagnostic('pipeline-input-layout', `there are ${elements.length} elements; ${MAX_ELEMENTS} are allowed`),
    )
  }
  const ends = new Array<number>(MAX_INPUT_SLOTS).fill(0)
  const classes = new Map<number, LayoutElement>()
  const made: LayoutElement[] = []
  elements.slice(0, MAX_ELEMENTS).forEach((e, i) => {
    const format = checkElement(e, i, found)
    if (format === undefined) return
    const element = placeElement(e, format, ends, inputs)
    const other = classes.get(element.slot)
    if (other !== undefined && (other.perInstance !== element.perInstance || other.stepRate !== element.stepRate)) {
      const text = `slot ${element.slot} has elements of different class or step rate (${other.semanticName}${other.semanticIndex})`
      found.push(diagnostic('pipeline-input-layout', text, place(i, 'inputSlotClass')))
    }
    classes.set(element.slot, element)
    made.push(element)
  })
  for (const input of inputs) {
    if (input.systemValue !== 0 && isGenerated(input.systemValue)) continue
    if (made.some((e) => sameSemantic(e, input.semanticName, input.semanticIndex))) continue
    const text = `the vertex shader reads ${input.semanticName}${input.semanticIndex} (v${input.register}), which the input layout does not have`
    found.push(diagnostic('pipeline-input-layout', text))
  }
  const diagnostics = found.finish()
  return found.errorCount > 0 ? { diagnostics } : { value: { elements: made }, diagnostics }
}

/** vertexID and instanceID come from the input assembler itself. */
const isGenerated = (systemValue: number): boolean => systemValue === 6 || systemValue === 8

function placeElement(
  e: InputElement,
  format: Format,
  ends: number[],
  inputs: readonly SignatureRegister[],
): LayoutElement {
  const slot = e.inputSlot ?? 0
  const alignment = alignmentOf(format)
  const given = e.alignedByteOffset ?? 'APPEND'
  const end = ends[slot]!
  const byteOffset = given === 'APPEND' || given === APPEND ? Math.ceil(end / alignment) * alignment : given
  ends[slot] = byteOffset + format.blockByteLength
  const index = e.semanticIndex ?? 0
  const perInstance = e.inputSlotClass === 'PER_INSTANCE_DATA'
  return {
    semanticName: e.semanticName,
    semanticIndex: index,
    format,
    slot,
    byteOffset,
    perInstance,
    stepRate: perInstance ? (e.instanceDataStepRate ?? 0) : 0,
    registers: inputs.filter((r) => sameSemantic(r, e.semanticName, index)),
  }
}
