import {
  checkArguments,
  type Diagnostic,
  DiagnosticCollector,
  diagnostic,
  type Expectation,
  failure,
  type Outcome,
  oneOf,
  outcomeOf,
  wholeFrom,
} from '../../diagnostic/index.ts'
import { SYSTEM_VALUE_NUMBER } from '../../engine/index.ts'
import { type Format, findFormat, similarFormats } from '../../isa/formats/index.ts'
import { type SignatureRegister, sameSemantic } from '../shader.ts'
import type { InputElement } from '../state.ts'

/** An input layout: where the registers of a vertex shader find their data in vertex buffers (8.4, 8.19). */

const MAX_INPUT_SLOTS = 32
/** Largest distance of two vertices in a buffer, in bytes (8.19.4). */
export const MAX_VERTEX_STRIDE = 2048
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

/** D3D11_APPEND_ALIGNED_ELEMENT. */
const APPEND = 0xffffffff

/** Alignment of an element: its size rounded up to a power of two, 4 at most (4.4.6). */
function alignmentOf(format: Format): number {
  const size = format.blockByteLength
  return size >= 4 || size === 3 ? 4 : size
}

const place = (index: number, field: string) => ({ kind: 'path', path: `inputLayout[${index}].${field}` }) as const

const aName: Expectation = (v) => (typeof v === 'string' && v !== '' ? undefined : 'a name')
const aWord = wholeFrom(0, 0xffffffff)

const ELEMENT_FIELDS: Readonly<Record<string, Expectation>> = {
  semanticName: aName,
  semanticIndex: aWord,
  format: aName,
  inputSlot: wholeFrom(0, MAX_INPUT_SLOTS - 1),
  alignedByteOffset: (v) =>
    v === 'APPEND' ? undefined : aWord(v) && "a whole number of bytes up to 2^32 - 1, or 'APPEND'",
  inputSlotClass: oneOf('PER_VERTEX_DATA', 'PER_INSTANCE_DATA'),
  instanceDataStepRate: aWord,
}

function wrongFields(e: InputElement, i: number): Diagnostic[] {
  const what = 'an element of an input layout'
  return checkArguments('pipeline-input-layout', what, e, ELEMENT_FIELDS, ['semanticName', 'format']).map((d) => ({
    ...d,
    place: d.place?.kind === 'path' ? place(i, d.place.path) : { kind: 'path', path: `inputLayout[${i}]` },
  }))
}

/** Vertex data has the formats that buffers have: no sRGB, shared exponent, block or depth formats (19.1.4). */
function formatOf(e: InputElement, i: number, found: DiagnosticCollector): Format | undefined {
  const format = findFormat(e.format)
  if (format !== undefined && format.capabilities.resources.buffer !== 'none') return format
  const similar = similarFormats(e.format)
  const text = `vertex data cannot have the format ${JSON.stringify(e.format)}`
  const notes =
    format !== undefined
      ? ['vertex data has formats of 1 to 4 whole components such as R32G32B32_FLOAT, R8G8B8A8_UNORM or R16G16_SINT']
      : similar.length > 0
        ? [`did you mean ${similar.join(', ')}?`]
        : []
  found.push(diagnostic('pipeline-input-layout', text, place(i, 'format'), notes))
  return undefined
}

/** Matches elements with the inputs of a vertex shader. Every input that is no system value must have an element. */
export function createInputLayout(
  elements: readonly InputElement[],
  inputs: readonly SignatureRegister[],
): Outcome<InputLayout> {
  const found = new DiagnosticCollector()
  if (elements.length > MAX_ELEMENTS) {
    const text = `there are ${elements.length} elements; ${MAX_ELEMENTS} are allowed`
    found.push(diagnostic('pipeline-input-layout', text, { kind: 'path', path: 'inputLayout' }))
  }
  const ends = new Array<number>(MAX_INPUT_SLOTS).fill(0)
  const firstOfSlot = new Map<number, LayoutElement>()
  const made: LayoutElement[] = []
  elements.slice(0, MAX_ELEMENTS).forEach((e, i) => {
    const wrong = wrongFields(e, i)
    found.pushAll(wrong)
    const format = wrong.length > 0 ? undefined : formatOf(e, i, found)
    if (format === undefined) return
    const element = placeElement(e, format, ends, inputs)
    checkRepeated(i, element, made, found)
    checkClass(e, i, element, firstOfSlot, found)
    checkAlignment(i, element, found)
    checkType(i, element, inputs, found)
    made.push(element)
  })
  // Elements that are wrong themselves say nothing about which inputs are fed.
  if (found.errorCount === 0) checkInputs(made, inputs, found)
  const diagnostics = found.finish()
  return found.errorCount > 0 ? failure(diagnostics) : outcomeOf({ elements: made }, diagnostics)
}

function checkInputs(
  made: readonly LayoutElement[],
  inputs: readonly SignatureRegister[],
  found: DiagnosticCollector,
): void {
  for (const input of inputs) {
    if (isGenerated(input.systemValue)) continue
    if (made.some((e) => sameSemantic(e, input.semanticName, input.semanticIndex))) continue
    const text = `the vertex shader reads ${input.semanticName}${input.semanticIndex} (v${input.register}), which the input layout does not have`
    const notes = [
      `add an element { semanticName: '${input.semanticName}', semanticIndex: ${input.semanticIndex}, ... }`,
    ]
    found.push(diagnostic('pipeline-input-layout', text, { kind: 'path', path: 'inputLayout' }, notes))
  }
}

/** vertexID and instanceID come from the input assembler itself. */
const isGenerated = (systemValue: number): boolean =>
  systemValue === SYSTEM_VALUE_NUMBER.vertexId || systemValue === SYSTEM_VALUE_NUMBER.instanceId

/** Each semantic has one element (D3D11_MESSAGE_ID_CREATEINPUTLAYOUT_DUPLICATESEMANTIC). */
function checkRepeated(
  i: number,
  e: LayoutElement,
  before: readonly LayoutElement[],
  found: DiagnosticCollector,
): void {
  const first = before.findIndex((other) => sameSemantic(other, e.semanticName, e.semanticIndex))
  if (first < 0) return
  const text = `elements ${first} and ${i} are both ${e.semanticName.toUpperCase()}${e.semanticIndex}; a semantic has one element`
  found.push(diagnostic('pipeline-input-layout', text, place(i, 'semanticName')))
}

/** All elements of a slot step alike, and vertex data does not step by instances. */
function checkClass(
  e: InputElement,
  i: number,
  element: LayoutElement,
  firstOfSlot: Map<number, LayoutElement>,
  found: DiagnosticCollector,
): void {
  if (!element.perInstance && (e.instanceDataStepRate ?? 0) !== 0) {
    const text = `the element is PER_VERTEX_DATA and has a step rate of ${e.instanceDataStepRate}; it must be 0`
    found.push(diagnostic('pipeline-input-layout', text, place(i, 'instanceDataStepRate')))
  }
  const other = firstOfSlot.get(element.slot) ?? element
  if (other.perInstance !== element.perInstance || other.stepRate !== element.stepRate) {
    const text = `slot ${element.slot} has elements of different class or step rate (${other.semanticName}${other.semanticIndex})`
    found.push(diagnostic('pipeline-input-layout', text, place(i, 'inputSlotClass')))
  }
  firstOfSlot.set(element.slot, other)
}

function checkAlignment(i: number, e: LayoutElement, found: DiagnosticCollector): void {
  const alignment = alignmentOf(e.format)
  if (e.byteOffset % alignment === 0) return
  const text = `${e.semanticName}${e.semanticIndex} (${e.format.name}) begins at byte ${e.byteOffset}, which is no multiple of ${alignment}; Direct3D leaves undefined what is read, Heddle reads the bytes that stand there`
  found.push(diagnostic('pipeline-undefined', text, place(i, 'alignedByteOffset')))
}

/** Values are converted by the format, and the shader takes the bits as what it declares. */
function checkType(
  i: number,
  e: LayoutElement,
  inputs: readonly SignatureRegister[],
  found: DiagnosticCollector,
): void {
  const { result } = e.format
  for (const { type, register } of inputs.filter((r) => sameSemantic(r, e.semanticName, e.semanticIndex))) {
    if (type === undefined || result === 'none' || type === result) continue
    const text = `${e.semanticName}${e.semanticIndex} (v${register}) is ${type} in the vertex shader, and ${e.format.name} gives ${result}; the shader takes the bits as they are`
    const isSignedness = type !== 'float' && result !== 'float'
    found.push(diagnostic('pipeline-input-type', text, place(i, 'format'), [], isSignedness ? 'hint' : 'warning'))
  }
}

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
